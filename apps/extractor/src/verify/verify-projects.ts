import { plainText } from '@collab-etl/cli'
import { isProjectNotFound, type ScopeResult, STREAMS } from '@collab-etl/contract/streams'
import { type Client, type ProjectToRead, readPersonalWebhooks, readProject } from '@collab-etl/core'
import type { ComparedScope, Comparison, ComparisonStage, Warehouse } from '@collab-etl/warehouse'
import type { Display } from '../reading/display.ts'
import { knownThings } from '../reading/known-ids.ts'
import { observedSink } from '../reading/observed-sink.ts'
import { storedEventsOf } from '../reading/stored-events.ts'
import { askForUnlisted } from '../reading/unlisted-projects.ts'
import type { VerifyOptions } from './options.ts'
import { unverified, verdictOf, withDifferences } from './verdict.ts'
import type { Verdicts } from './verdicts.ts'

/** As far ahead of their reading as a snapshot reads events by default. */
const EVENTS_YEARS_AHEAD = 2

/** What verifying projects needs and leaves its results in. */
export interface Verifying {
  readonly client: Client
  readonly warehouse: Warehouse
  readonly comparison: Comparison
  readonly options: VerifyOptions
  readonly verdicts: Verdicts
  /** Projects of which the service says that they do not exist. */
  readonly gone: Set<string>
  /** Projects that are missing from the list and for which the service does not answer that they do not exist. */
  readonly unlisted: Set<string>
  readonly display: Display
}

/** Reads a project again, those of its scopes that are stored, and compares them. */
export async function verifyProject(verifying: Verifying, project: ProjectToRead, signal: AbortSignal): Promise<void> {
  const { client, warehouse, comparison, options, verdicts, gone, display } = verifying
  const { pid, listed } = project
  const line = display.project(plainText(listed?.name || pid))
  let finished = false
  try {
    const stored = STREAMS.filter((stream) => comparison.storedHash({ pid, stream }) !== null)
    const { eventsFrom, archivedPageSize } = options
    const eventsTo = options.eventsTo ?? defaultEventsTo(comparison, pid)
    const known = await knownThings(warehouse, pid)
    const compared = await compareStage(verifying, pid, async (stage) => {
      const sink = observedSink(stage, {
        onWrite: ({ stream }, batch) => line.add(stream, batch),
        onRestart: ({ stream }) => line.void(stream),
      })
      const storedEvents = storedEventsOf(warehouse, pid)
      const range = { eventsFrom, eventsTo, storedEvents }
      const what = { streams: new Set(stored), ...known, followFound: false, ...range, archivedPageSize }
      await readProject(client, project, { ...what, signal }, sink)
      line.doing('comparing')
    })
    if (compared.some(isProjectNotFound)) gone.add(pid)
    const byStream = new Map(compared.map((scope) => [scope.scope.stream, verdictOf(scope)]))
    verdicts.add(STREAMS.map((stream) => byStream.get(stream) ?? unverified({ pid, stream })))
    finished = true
  } finally {
    line.end(finished)
  }
}

/** The personal webhooks, which belong to no project. */
export async function verifyPersonalWebhooks(verifying: Verifying, signal: AbortSignal): Promise<void> {
  const { client, comparison, verdicts } = verifying
  const scope = { pid: null, stream: 'webhooks' } as const
  if (comparison.storedHash(scope) === null) return verdicts.add([unverified(scope)])
  const compared = await compareStage(verifying, null, (stage) => readPersonalWebhooks(client, stage, { signal }))
  verdicts.add(compared.map(verdictOf))
}

/**
 * Requests each stored project that is missing from the list, as a snapshot does. Returns those that can still be read. A
 * project that can neither be read nor is known not to exist is `incomplete`.
 */
export async function verifyUnlisted(
  { client, comparison, verdicts, gone, unlisted }: Verifying,
  listed: readonly ProjectToRead[],
  options: { readonly atOnce: number; readonly signal: AbortSignal },
): Promise<ProjectToRead[]> {
  const missing = await comparison.missingProjects(new Set(listed.map(({ pid }) => pid)))
  const found = await askForUnlisted(client, missing, options)
  for (const pid of found.gone) gone.add(pid)
  for (const pid of [...found.readable, ...found.unread.keys()]) unlisted.add(pid)
  for (const [pid, error] of found.unread) {
    verdicts.add([{ ...unverified({ pid, stream: 'projects' }), status: 'incomplete', note: null, error }])
  }
  return [...found.readable].map((pid) => ({ pid, listed: null }))
}

/** Which projects there are: all that is listed, or, without `list`, those alone that turned out not to exist. */
export async function verifyList(
  verifying: Verifying,
  projects: readonly ProjectToRead[],
  list: ScopeResult | null,
): Promise<void> {
  const { comparison, verdicts, gone, unlisted } = verifying
  const pids = (some: readonly ProjectToRead[]) => new Set(some.map(({ pid }) => pid))
  const differences = await comparison.compareProjects({
    listed: list && new Set([...pids(projects), ...unlisted]),
    barred: pids(projects.filter(({ listed }) => listed?.permission === 0)),
    gone,
  })
  if (list === null && differences.length === 0) return
  const scope = { pid: null, stream: 'projects' } as const
  const { read: records = 0, error = null } = list ?? {}
  const status = error === null ? 'same' : 'incomplete'
  const verdict = { ...unverified(scope), status, note: null, records, error } as const
  verdicts.add([withDifferences(verdict, differences)])
}

/** Stages what `read` hands on and compares it; nothing of it stays. */
async function compareStage(
  { comparison }: Verifying,
  pid: string | null,
  read: (stage: ComparisonStage) => Promise<unknown>,
): Promise<ComparedScope[]> {
  const stage = await comparison.stage(pid)
  try {
    await read(stage)
  } catch (error) {
    // The first error is the one to tell; a stage that cannot be discarded any more is emptied by the next run.
    await stage.discard().catch(() => {})
    throw error
  }
  return await stage.compare()
}

/** Days go by: what a snapshot could not see yet when it read the events is not missing. */
function defaultEventsTo(comparison: Comparison, pid: string): Date | undefined {
  const readAt = comparison.storedHash({ pid, stream: 'events' })?.readAt
  if (readAt === null || readAt === undefined) return undefined
  const to = new Date(readAt)
  to.setUTCFullYear(to.getUTCFullYear() + EVENTS_YEARS_AHEAD)
  return to
}
