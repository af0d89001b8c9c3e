import { startSource } from '../../bench/source/start-source.ts'
import { CHANGED_ONE_IN, CHANGED_REST } from '../../bench/source/world.ts'
import type { NightReport } from './night-messages.ts'
import { type Document, NightProcess } from './start-night-process.ts'
import { type Stored, StoredState } from './stored.ts'
import { type Digests, truthOf } from './truth.ts'

/** Interval of nights after which 1 % of the tasks change. */
const CHANGES_EVERY = 4

/** One in so many tasks is archived. */
const ARCHIVED_ONE_IN = 20

export interface NightsOptions {
  /** An empty database. */
  readonly databaseUrl: string
  readonly token: string
  /** Working directory of the process. */
  readonly directory: string
  readonly runs: number
  readonly projects: number
  /** Total over all projects. */
  readonly tasks: number
  /** Whether tasks have almost no lists. */
  readonly lean: boolean
  readonly logLevel: string
}

/** One run and its measurements. */
export interface Night {
  readonly number: number
  readonly kind: 'first' | 'changed' | 'unchanged'
  readonly report: NightReport
  readonly document: Document
  readonly stored: Stored
  /** Contents of the service. */
  readonly truth: Digests
  /** Number of tasks that are new or changed since the previous night. */
  readonly changedTasks: number
  /** Its stderr. */
  readonly stderr: string
}

/** Runs `collab-extract snapshot` repeatedly in one process, and measures process and database after each run. */
export async function* runNights(options: NightsOptions): AsyncGenerator<Night> {
  const { databaseUrl, token, directory, runs, projects, lean, logLevel } = options
  const each = Math.round(options.tasks / projects)
  const archivedTasks = Math.floor(each / ARCHIVED_ONE_IN)
  const tasks = each - archivedTasks
  await using source = await startSource({ projects, tasks, archivedTasks, streamed: true, lean }, token)
  await using state = await StoredState.open(databaseUrl)
  await using process = await NightProcess.start(directory)
  const truths = new Map<boolean, Digests>()
  let isChanged = false
  let length = 0
  for (let number = 1; number <= runs; number++) {
    const kind = number === 1 ? 'first' : number % CHANGES_EVERY === 0 ? 'changed' : 'unchanged'
    if (kind === 'changed') {
      isChanged = !isChanged
      await source.change(isChanged)
    }
    const truth = truths.get(isChanged) ?? (await truthOf(source.baseUrl, token))
    truths.set(isChanged, truth)
    const { report, document } = await process.run({
      argv: ['snapshot', '--json'],
      env: {
        COLLAB_BASE_URL: source.baseUrl,
        COLLAB_TOKEN: token,
        COLLAB_LOG_LEVEL: logLevel,
        DATABASE_URL: databaseUrl,
      },
    })
    const changedTasks = { first: projects * each, changed: changing(projects * tasks), unchanged: 0 }[kind]
    const stderr = process.stderr.slice(length)
    length += stderr.length
    yield { number, kind, report, document, stored: await state.look(), truth, changedTasks, stderr }
  }
}

/** Number of listed tasks that the service changes. */
function changing(tasks: number): number {
  return Math.max(0, Math.ceil((tasks - CHANGED_REST) / CHANGED_ONE_IN))
}
