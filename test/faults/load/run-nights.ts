import { startSource } from '../../bench/source/start-source.ts'
import { CHANGED_ONE_IN, CHANGED_REST } from '../../bench/source/world.ts'
import type { NightReport } from './night-messages.ts'
import { type Document, NightProcess } from './start-night-process.ts'
import { type Stored, StoredState } from './stored.ts'
import { type Digests, truthOf } from './truth.ts'

/** Every so many nights, 1 % of the tasks have changed. */
const CHANGES_EVERY = 4

/** One task in so many is archived. */
const ARCHIVED_ONE_IN = 20

export interface NightsOptions {
  /** An empty database. */
  readonly databaseUrl: string
  readonly token: string
  /** Working directory of the process. */
  readonly directory: string
  readonly runs: number
  readonly projects: number
  /** In all projects together. */
  readonly tasks: number
  /** Whether the tasks have next to nothing but their own fields. */
  readonly lean: boolean
  readonly logLevel: string
}

/** One run, and all that was seen of it. */
export interface Night {
  readonly number: number
  readonly kind: 'first' | 'changed' | 'unchanged'
  readonly report: NightReport
  readonly document: Document
  readonly stored: Stored
  /** What the service has. */
  readonly truth: Digests
  /** Tasks that are new or changed since the night before. */
  readonly changedTasks: number
  /** What the process said on stderr. */
  readonly said: string
}

/** Runs `collab-extract snapshot` night after night in one process, and looks at process and database after each. */
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
  let told = 0
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
    const said = process.stderr.slice(told)
    told += said.length
    yield { number, kind, report, document, stored: await state.look(), truth, changedTasks, said }
  }
}

/** How many of that many listed tasks the service changes. */
function changing(tasks: number): number {
  return Math.max(0, Math.ceil((tasks - CHANGED_REST) / CHANGED_ONE_IN))
}
