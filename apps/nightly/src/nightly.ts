import { resolve } from 'node:path'
import {
  CliError,
  type Context,
  defineCommand,
  EXIT,
  type ExitCode,
  type Settings,
  settingsEnvironment,
  settingsFlags,
  shellQuoted,
} from '@collab-etl/cli'
import { refuseOtherPlaces, TRIAL_DIRECTORY, usesSampleData } from './plan.ts'
import { type ProgramName, type ProgramResult, runProgram } from './run-program.ts'
import { startTrialService } from './sandbox.ts'

export const nightly = defineCommand({
  command: '$0',
  describe: 'takes a snapshot, then writes a backup',
  examples: [
    ['', 'a trial on sample data, if neither address nor token is set'],
    ['--base-url https://collab.example.com --token-file token', 'a backup of that service'],
    ['--out /var/backups/collab', 'the service of the environment, backups in another directory'],
  ],
  options: {
    out: { type: 'string', describe: 'DIR  directory that holds the backups [default: ./collab-backup]' },
  },
  settings: ['service', 'warehouse'],
  onInterrupt: 'finished projects are kept',
  async run(context, { out }) {
    const { settings } = context
    if (usesSampleData(settings)) return await trial(context, out)
    const env = settingsEnvironment(settings)
    return await job(context, { env, directory: resolve(out ?? 'collab-backup'), snapshotArgs: [] })
  },
})

/** Runs the job on sample data, in a directory of its own, apart from real data. */
async function trial(context: Context, out: string | undefined): Promise<ExitCode> {
  refuseOtherPlaces(context.settings, out)
  await print(
    context,
    'Neither COLLAB_BASE_URL nor a token is set: running a trial on a sample service on this machine.',
  )
  await using service = await startTrialService(context.signal)
  const settings = { ...context.settings, dataDir: resolve(TRIAL_DIRECTORY, 'collab-data') }
  const env = { ...settingsEnvironment(settings), COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN: service.token }
  const directory = resolve(TRIAL_DIRECTORY, 'collab-backup')
  // The sample service may use another port than in an earlier trial, with the same data.
  const code = await job({ ...context, settings }, { env, directory, snapshotArgs: ['--rebind-service'] })
  await print(context, `\nThis was sample data. To remove it:\n  rm -r ${shellQuoted(resolve(TRIAL_DIRECTORY))}`)
  return code
}

interface Job {
  /** The settings of both steps. */
  readonly env: Readonly<Record<string, string>>
  /** Directory that holds the backups. */
  readonly directory: string
  readonly snapshotArgs: readonly string[]
}

/** Runs both steps. A backup is also written after a partial snapshot. */
async function job(context: Context, { env, directory, snapshotArgs }: Job): Promise<ExitCode> {
  if (context.stdout.isTerminal)
    await print(context, `${planText(context.settings, env['COLLAB_BASE_URL'] ?? '', directory)}\n`)
  await print(context, `Step 1 of 2: reading every project of ${env['COLLAB_BASE_URL']} into the warehouse\n`)
  const snapshot = await step(context, 'collab-extract', ['snapshot', ...snapshotArgs], env)
  if (!isStored(snapshot.exitCode)) {
    throw new CliError('the snapshot failed, so no backup was written: see above', {
      exitCode: snapshot.exitCode,
      code: 'SNAPSHOT',
    })
  }
  await print(context, `\nStep 2 of 2: writing a backup to ${directory}\n`)
  const backup = await step(context, 'collab-export', ['backup', '--out', directory], env)
  if (!isStored(backup.exitCode)) {
    throw new CliError('the backup failed: see above; the data that was read is in the warehouse', {
      exitCode: backup.exitCode,
      code: 'BACKUP',
    })
  }
  const exitCode = snapshot.exitCode === EXIT.ok ? backup.exitCode : snapshot.exitCode
  if (context.json) {
    context.stdout.document({
      exit_code: exitCode,
      snapshot: JSON.parse(snapshot.stdout),
      backup: JSON.parse(backup.stdout),
    })
  }
  await print(context, closing(context.settings, directory, exitCode))
  return exitCode
}

function step(
  context: Context,
  name: ProgramName,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ProgramResult> {
  const { json, signal, settings } = context
  const config = settings.configFile === undefined ? [] : ['--config', settings.configFile]
  return runProgram(name, [...args, ...config, ...(json ? ['--json'] : [])], { env, signal, capture: json })
}

function isStored(code: ExitCode): boolean {
  return code === EXIT.ok || code === EXIT.partial
}

async function print({ json, stdout }: Context, text: string): Promise<void> {
  if (!json) await stdout.write(`${text}\n`)
}

/** What the job is about to do, for a user who started it at a terminal. */
function planText(settings: Settings, baseUrl: string, directory: string): string {
  return [
    'collab-nightly will now',
    `  1. read every project of ${baseUrl}`,
    `     into the warehouse ${warehouseOf(settings)}`,
    '  2. write a backup as Markdown and CSV',
    `     to ${directory}`,
    'Both keep earlier data: the warehouse has its history, and each backup has its own directory.',
    'Ctrl-C stops it; finished projects are kept. collab-nightly --help lists the settings.',
  ].join('\n')
}

function warehouseOf({ databaseUrl, dataDir, schema }: Settings): string {
  return `${databaseUrl ?? dataDir}, schema ${schema}`
}

function closing(settings: Settings, directory: string, exitCode: ExitCode): string {
  const flags = settingsFlags(settings, 'warehouse')
  const latest = shellQuoted(`${directory}/latest`)
  return [
    '',
    exitCode === EXIT.ok
      ? 'Done: everything was read and backed up.'
      : 'Done, but incomplete: the missing parts are named above.',
    `  Backup:    ${directory}/latest`,
    `  Warehouse: ${warehouseOf(settings)}`,
    'Look at it:',
    `  npx collab-extract query${flags} "SELECT name, member_count, valid_from FROM ${settings.schema}.projects"`,
    `  npx collab-extract runs${flags}`,
    `  ls ${latest}/data/markdown ${latest}/data/csv`,
    `  (cd ${latest} && sha256sum --quiet -c manifest-sha256.txt)`,
  ].join('\n')
}
