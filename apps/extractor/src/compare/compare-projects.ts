import { isOptional, isProjectNotFound, type ScopeResult, STREAMS } from '@collab-etl/contract/streams'
import {
  type Client,
  defaultEventsTo,
  findUnlisted,
  type ProjectSink,
  type ProjectToRead,
  type ReadProjectOptions,
  readPersonalWebhooks,
  readTeams,
} from '@collab-etl/core'
import type { Comparison, ComparisonStage, StoredHash, Warehouse } from '@collab-etl/warehouse'
import type { Display } from '../reading/display.ts'
import { stagedSink } from '../reading/staged-sink.ts'
import { knownThings, storedEventsOf } from '../reading/stored.ts'
import type { CompareOptions } from './options.ts'
import { unverified, type Verdicts, verdictOf, withDifferences } from './verdict.ts'

/** What a comparison of projects reads, and where it adds its results. */
export interface Comparing {
  readonly client: Client
  readonly warehouse: Warehouse
  readonly comparison: Comparison
  readonly options: CompareOptions
  readonly verdicts: Verdicts
  /** Projects for which the service answers that they do not exist. */
  readonly gone: Set<string>
  /** Projects that are missing from the list and for which the service does not answer that they do not exist. */
  readonly unlisted: Set<string>
  readonly display: Display
}

/** Options of reading a project again: the streams that are stored, in the range that was stored. */
export async function optionsOf(
  { client, warehouse, comparison, options }: Comparing,
  pid: string,
): Promise<ReadProjectOptions> {
  const stored = STREAMS.flatMap((stream) => {
    const hash = comparison.storedHash({ pid, stream })
    return hash === null ? [] : [[stream, lastReadingOf(hash)] as const]
  })
  return {
    streams: new Set(stored.map(([stream]) => stream)),
    // what is no longer offered is carried: there is nothing to compare
    lastReadings: client.capabilities.isOn ? new Map(stored) : undefined,
    ...(await knownThings(warehouse, pid)),
    eventsTo: options.eventsTo ?? lastEventsTo(comparison, pid),
    storedEvents: storedEventsOf(warehouse, pid),
  }
}

/** Stages a project and compares it with what is stored; nothing of it stays. */
export function openStage(comparing: Comparing, project: ProjectToRead): Promise<ProjectSink> {
  const { comparison, verdicts, gone, display } = comparing
  const { pid } = project
  return stagedSink(display, project, {
    open: () => comparison.stage(pid),
    doing: 'comparing',
    use: async (stage) => {
      const compared = await stage.compare()
      if (compared.some(isProjectNotFound)) gone.add(pid)
      verdicts.note(compared)
      const byStream = new Map(compared.map((scope) => [scope.scope.stream, verdictOf(scope)]))
      const judged = STREAMS.filter((stream) => byStream.has(stream) || !isOptional(stream))
      verdicts.add(judged.map((stream) => byStream.get(stream) ?? unverified({ pid, stream })))
    },
  })
}

/** The personal webhooks, which belong to no project. */
export async function comparePersonalWebhooks(comparing: Comparing, signal: AbortSignal): Promise<void> {
  const { client, comparison, verdicts } = comparing
  const scope = { pid: null, stream: 'webhooks' } as const
  if (comparison.storedHash(scope) === null) return verdicts.add([unverified(scope)])
  await compareUnowned(comparing, (stage) => readPersonalWebhooks(client, stage, { signal }))
}

/** The teams, if a run has stored any: the service may not offer them. @param projects the list of projects */
export async function compareTeams(
  comparing: Comparing,
  projects: readonly ProjectToRead[],
  signal: AbortSignal,
): Promise<void> {
  const { client, comparison } = comparing
  const stored = comparison.storedHash({ pid: null, stream: 'teams' })
  if (stored === null || !client.capabilities.isOn) return
  const listed = new Set(projects.map(({ pid }) => pid))
  const lastReading = lastReadingOf(stored)
  await compareUnowned(comparing, (stage) => readTeams(client, stage, { listed, lastReading, signal }), listed)
}

/** Stages a scope that belongs to no project and compares it with what is stored. */
async function compareUnowned(
  { comparison, verdicts }: Comparing,
  read: (stage: ComparisonStage) => Promise<unknown>,
  listed?: ReadonlySet<string>,
): Promise<void> {
  const stage = await comparison.stage(null)
  await read(stage).catch(async (error: unknown) => {
    await stage.discard().catch(() => {}) // the first error is the one to report
    throw error
  })
  const compared = await stage.compare(listed)
  verdicts.note(compared)
  verdicts.add(compared.map(verdictOf))
}

/**
 * Requests each stored project that is missing from the list, as a snapshot does. Returns those that can still be read. A
 * project that can neither be read nor is known not to exist is `incomplete`.
 */
export async function compareUnlisted(
  { client, comparison, verdicts, gone, unlisted }: Comparing,
  listed: readonly ProjectToRead[],
  options: { readonly projectsAtOnce: number; readonly signal: AbortSignal },
): Promise<readonly ProjectToRead[]> {
  const missing = await comparison.missingProjects(new Set(listed.map(({ pid }) => pid)))
  const found = await findUnlisted(client, missing, options)
  for (const pid of found.notFound) gone.add(pid)
  for (const pid of [...found.readable.map(({ pid }) => pid), ...found.unread.keys()]) unlisted.add(pid)
  for (const [pid, error] of found.unread) {
    verdicts.add([{ ...unverified({ pid, stream: 'projects' }), status: 'incomplete', note: null, error }])
  }
  return found.readable
}

/** Compares which projects exist: with the list, or, if `list` is null, only with the projects that turned out not to exist. */
export async function compareList(
  comparing: Comparing,
  projects: readonly ProjectToRead[],
  list: ScopeResult | null,
): Promise<void> {
  const { comparison, verdicts, gone, unlisted } = comparing
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

/** When a stored scope was last read completely; long ago if it never was. */
function lastReadingOf({ readAt }: StoredHash): Date {
  return readAt ?? new Date(0)
}

/** The end of the range that the last snapshot read: later events were beyond its default range, and are not missing. */
function lastEventsTo(comparison: Comparison, pid: string): Date | undefined {
  const readAt = comparison.storedHash({ pid, stream: 'events' })?.readAt
  if (readAt === null || readAt === undefined) return undefined
  return defaultEventsTo(readAt)
}
