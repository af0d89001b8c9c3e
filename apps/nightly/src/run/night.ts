import { resolve } from 'node:path'
import { formatFacts } from '@collab-etl/backups/content'
import {
  type CliError,
  type Context,
  EXIT,
  type ExitCode,
  plainText,
  type Settings,
  settingsEnvironment,
  settingsFlags,
  shellQuoted,
  typedName,
  UsageError,
} from '@collab-etl/cli'
import { acceptedLines, deletedLines } from '@collab-etl/observability'
import type { NightlyFlags } from '../config/flags.ts'
import { type JobPlan, planOf } from '../config/plan.ts'
import { requireTrustedHooks, withoutHooks } from './hooks.ts'
import { failureOf, type JobResult, refuseNight, runJob } from './job.ts'
import { checkPlaces } from './places.ts'
import { startTrialService } from './sandbox.ts'
import { stepLines } from './step-lines.ts'
import { isServiceSet, noServiceError, refuseOtherPlaces, TRIAL_DIRECTORY } from './trial.ts'

/** Runs a night. If neither address nor token is set, it may be a trial. @param mayTry whether it may */
export async function runNight(
  context: Context,
  { quiet, ...flags }: NightlyFlags,
  mayTry: boolean,
): Promise<ExitCode> {
  const { settings } = context
  let plan: JobPlan
  try {
    if (!isServiceSet(settings)) {
      if (!mayTry) throw await noServiceError(settings, process.cwd())
      refuseOtherPlaces(settings, flags)
      return await runTrial(context, flags, quiet)
    }
    plan = planOf(settings, flags)
    requireTrustedHooks(context, plan)
    await checkPlaces(context, plan)
  } catch (error) {
    if (error instanceof UsageError) await recordRefusal(context, flags, error, true)
    throw error
  }
  return await night(context, plan, settingsEnvironment(settings), quiet)
}

/**
 * Records and reports a night that a wrong setting stopped, unless somebody reads the message at a terminal.
 * @param hasWarehouse whether the settings of the warehouse are right
 */
export async function recordRefusal(
  context: Context,
  flags: NightlyFlags,
  failure: CliError,
  hasWarehouse: boolean,
): Promise<void> {
  const { settings } = context
  if (settings.file['nightly'] === undefined || context.stdout.isTerminal) return
  const plan = planOf(settings, flags)
  await refuseNight(context, settings.distrust === null ? plan : withoutHooks(plan), failure, hasWarehouse)
}

/** Runs the job on sample data, in a directory of its own, apart from real data. */
export async function runTrial(context: Context, flags: NightlyFlags, isQuiet = false): Promise<ExitCode> {
  const say = async (text: string) => (isQuiet ? undefined : await print(context, text))
  await say('This is a trial on a sample service on this machine.')
  await using service = await startTrialService(context.signal)
  const settings = { ...context.settings, dataDir: resolve(TRIAL_DIRECTORY, 'collab-data') }
  const ofService = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN: service.token }
  // a trial reports nothing to other systems
  const env = {
    ...settingsEnvironment(settings),
    ...ofService,
    OTEL_SDK_DISABLED: 'true',
    // a person reads the output, which says what succeeded
    ...(settings.logLevel === 'info' && { COLLAB_LOG_LEVEL: 'warn' }),
  }
  const plan = planOf(settings, { ...flags, out: resolve(TRIAL_DIRECTORY, 'collab-backup') })
  // The sample service may use another port than in an earlier trial, with the same data.
  const code = await night(
    { ...context, settings },
    { ...withoutHooks(plan), snapshotArgs: ['--rebind-service'], isTrial: true },
    env,
    isQuiet,
  )
  await say(`\nThis was sample data. To remove it:\n  rm -r ${shellQuoted(resolve(TRIAL_DIRECTORY))}`)
  return code
}

async function night(
  context: Context,
  plan: JobPlan,
  env: Readonly<Record<string, string>>,
  isQuiet = false,
): Promise<ExitCode> {
  if (context.stdout.isTerminal && !isQuiet) {
    await print(context, `${planText(context.settings, plan, env['COLLAB_BASE_URL'] ?? '')}\n`)
  }
  const result = await runJob(context, plan, { env, isQuiet })
  const failure = failureOf(result)
  context.stdout.document({
    ...result.night,
    ...Object.fromEntries([...result.done].map(([name, { document }]) => [name, document])),
    ...(failure && { error: { code: failure.code, message: failure.message, exit_code: failure.exitCode } }),
  })
  context.signal.throwIfAborted()
  if (!isQuiet || result.exitCode !== EXIT.ok) await print(context, ['', ...stepLines(result.night)].join('\n'))
  if (failure) throw failure
  if (!isQuiet) await print(context, closing(context.settings, plan, result))
  return result.exitCode
}

async function print({ json, stdout }: Context, text: string): Promise<void> {
  if (!json) await stdout.write(`${text}\n`)
}

/** What the job is about to do, for a user who started it at a terminal. */
function planText(settings: Settings, { out, formats }: JobPlan, baseUrl: string): string {
  return [
    'collab-nightly will now',
    `  1. read every project of ${baseUrl}`,
    `     into the warehouse ${warehouseOf(settings)}`,
    `  2. write a backup as ${formats.map((format) => formatFacts(format).title).join(' and ')}, and verify it`,
    `     in ${out}`,
    'Both keep earlier data: the warehouse has its history, and each backup has its own directory.',
    'Ctrl-C stops it; finished projects are kept. collab-nightly --help lists the settings.',
  ].join('\n')
}

function warehouseOf({ databaseUrl, dataDir, schema }: Settings): string {
  return `${databaseUrl ?? dataDir}, schema ${schema}`
}

function closing(settings: Settings, { out }: JobPlan, { exitCode, night }: JobResult): string {
  const flags = settingsFlags(settings, 'warehouse')
  const extract = typedName('collab-extract')
  const latest = shellQuoted(`${out}/latest`)
  return [
    '',
    exitCode === EXIT.ok
      ? `Done: everything was read and backed up${night.snapshot?.accepted?.length ? ', except for accepted failures' : ''}.`
      : 'Done, but incomplete: the missing parts are named above.',
    ...[...deletedLines(night), ...acceptedLines(night)].map((line) => plainText(line)),
    `  Backup:    ${out}/latest`,
    `  Warehouse: ${warehouseOf(settings)}`,
    'Look at it:',
    `  ${extract} query${flags} "SELECT pid, name FROM ${settings.schema}.live_projects"`,
    `  ${extract} runs${flags}`,
    `  ${typedName('collab-export')} view ${latest}`,
    `  ls ${latest}/data`,
    `  (cd ${latest} && sha256sum --quiet -c manifest-sha256.txt)`,
  ].join('\n')
}
