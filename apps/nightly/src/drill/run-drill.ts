import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import type { BackupProject } from '@collab-etl/backups'
import { PrivateDirectory, warnOfLeft } from '@collab-etl/backups/unpack'
import { CliError, type Context, EXIT } from '@collab-etl/cli'
import { whatIsNotWhole } from '../run/facts.ts'
import { type RanStep, runStep } from '../run/run-step.ts'
import { startEmptyService } from '../run/sandbox.ts'
import { compareLive, readStated, type Stated } from './compare-live.ts'
import { Finding } from './finding.ts'
import type { DrillSource } from './source.ts'

/** What a drill did. */
export interface Drilled {
  /** Id of the project that was restored; `null`: none was. */
  readonly project: string | null
  /** What was not practised or compared, and why. */
  readonly notes: readonly string[]
}

interface Drill {
  readonly context: Context
  /** Temporary and private. */
  readonly directory: string
  /** The unpacked backup. */
  readonly bag: string
  readonly stated: Stated
}

/**
 * Practises recovery: verifies every byte, unpacks, compares with the warehouse, loads into a temporary one, restores a project into a
 * sandbox. Neither the service nor the warehouse is changed; nothing stays.
 * @throws Finding for the first thing that is not as it was
 */
export async function runDrill(context: Context, source: DrillSource): Promise<Drilled> {
  const { signal, settings, progress } = context
  await using temporary = new PrivateDirectory(signal, warnOfLeft(context))
  const { path: directory } = await temporary.open()
  const line = progress.line(`verifying every byte of ${source.name}`)
  const { path, identity } = source
  const keys = identity === undefined ? [] : ['--identity', identity]
  requireOk(await child({ context, directory }, 'collab-export', ['verify', path, ...keys]))
  line.update('unpacking')
  const bag = (await temporary.unpack(path, { identity }, () => {})) ?? path
  const stated = await readStated(bag)
  line.update('comparing with the warehouse')
  const uncompared = await compareLive(settings, stated, signal)
  line.update('loading')
  const drill = { context, directory, bag, stated }
  requireOk(await child(drill, 'collab-extract', ['load', bag, '--data-dir', join(directory, 'warehouse')]))
  line.update('restoring a project')
  const restored = await restoreOne(drill)
  line.end()
  const notes = [...(uncompared === null ? [] : [`not compared with the warehouse: ${uncompared}`]), ...restored.notes]
  return { project: restored.project, notes }
}

/** Runs a command without the settings of this process: it has neither the service nor the warehouse. */
async function child(
  { context, directory }: Pick<Drill, 'context' | 'directory'>,
  program: 'collab-export' | 'collab-extract',
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RanStep> {
  const options = { env, show: 'nothing', directory, apart: directory, signal: context.signal } as const
  return await runStep(context, args[0] ?? '', { program, args }, options)
}

/** @throws Finding for what a command found; CliError if it failed otherwise */
function requireOk(ran: RanStep, isPartialOk = false): void {
  const { exitCode, error, printed } = ran
  if (exitCode === EXIT.ok || (isPartialOk && exitCode === EXIT.partial)) return
  const message = error ?? whatIsNotWhole(ran, ran) ?? (printed.trim().split('\n').at(-1) || `exit code ${exitCode}`)
  if (exitCode === EXIT.damage || exitCode === EXIT.usage || exitCode === EXIT.partial) throw new Finding(message)
  throw new CliError(message, { exitCode: exitCode ?? EXIT.unexpected })
}

/** The projects with records: to restore one that the token may not read shows nothing. If there are none, all. */
function practised(projects: readonly BackupProject[]): readonly BackupProject[] {
  const full = projects.filter(({ counts = {} }) => Object.values(counts).some((count) => count > 0))
  return full.length === 0 ? projects : full
}

/** Restores a random project into a sandbox, which `restore` reads back. */
async function restoreOne(drill: Drill): Promise<Drilled> {
  const { stated, bag, directory, context } = drill
  const { rebuild } = stated.manifest
  const projects = practised(stated.manifest.projects)
  const project: BackupProject | undefined = projects[projects.length === 0 ? 0 : randomInt(projects.length)]
  if (project === undefined) return { project: null, notes: ['nothing restored: the backup has no project'] }
  if (rebuild !== 'jsonl' && rebuild !== 'csv')
    return { project: null, notes: ['nothing restored: the backup has no JSON lines and no CSV'] }
  await using service = await startEmptyService(context.signal)
  const into = [`--project=${project.pid}`, `--to-project=${service.pids[0]}`, '--journal', join(directory, 'journal')]
  const groups = rebuild === 'jsonl' ? ['--entries', 'by-name'] : []
  const env = { COLLAB_BASE_URL: service.baseUrl, COLLAB_TOKEN: service.token }
  const ran = await child(drill, 'collab-export', ['restore', bag, ...into, ...groups], env)
  requireOk(ran, true)
  const { differences, unknown, not_restored: left } = ran.document ?? {}
  const wrong = countOf(differences) + countOf(unknown)
  if (wrong > 0) throw new Finding(`${wrong} restored records of project ${project.pid} are not as in the backup`)
  const kinds = countOf(left)
  const notes =
    kinds === 0 ? [] : [`some records of project ${project.pid} cannot be created: see collab-export restore`]
  return { project: project.pid, notes }
}

function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0
}
