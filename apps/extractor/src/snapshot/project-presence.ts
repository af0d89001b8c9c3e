import { type Context, UsageError } from '@collab-etl/cli'
import {
  ACCOUNT_FAILED,
  POSSIBLY_CAPPED,
  type Reason,
  type ScopeResult,
  type StreamName,
} from '@collab-etl/contract/streams'
import { findUnlisted, isPermitted, type ProjectList, type ProjectToRead } from '@collab-etl/core'
import { isVisible, publishUnread, type SnapshotReading, streamsOfProjects } from './read-projects.ts'
import { unreadScope } from './tally.ts'

const UNSURE = {
  code: 'UNKEYED',
  message:
    'the service answered that it does not exist, but the list of projects has an element without a readable id, which may be this project',
}

interface PlaceToLook extends Pick<SnapshotReading, 'client' | 'warehouse' | 'options'> {
  readonly context: Pick<Context, 'signal'>
}

/**
 * Looks for one of the projects that the user named, among those that the service lists, shows or showed to an earlier run.
 * @throws UsageError if there is none: no run begins for misspelt ids
 */
export async function requireProject(
  { client, warehouse, options: { projects }, context: { signal } }: PlaceToLook,
  listed: ReadonlySet<string>,
): Promise<void> {
  if (projects === null || [...projects].some((pid) => listed.has(pid))) return
  for (const pid of projects) {
    if (await isVisible(client, pid, signal)) return
    for await (const _stored of warehouse.rows.of('projects', { pid, columns: ['pid'] })) return
  }
  const named = projects.size === 1 ? 'has no project' : 'has none of the projects'
  throw new UsageError(
    `--project: the service ${named} ${[...projects].join(', ')}: collab-extract projects lists the ids`,
  )
}

/**
 * Requests each stored project that is missing from the list. A project that can still be read is added to `projects`, so
 * that its rows do not become out of date unnoticed. The ids of projects that do not exist are returned.
 * Any other answer ends its `projects` scope as failed.
 */
export async function addUnlisted(
  reading: SnapshotReading,
  list: ProjectList,
  projects: ProjectToRead[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const { client, run, options } = reading
  if (options.projects !== null) return new Set()
  const listed = new Set(list.projects.map(({ pid }) => pid))
  const missing = await run.surviving(() => run.missingProjects(listed), signal)
  const { projectsAtOnce } = options
  const { readable, notFound, unread } = await findUnlisted(client, missing, { projectsAtOnce, signal })
  projects.push(...readable)
  // an element without a readable id may be any of the missing projects
  const isUnsure = list.losses.length > 0
  const failed = new Map([...unread, ...[...(isUnsure ? notFound : [])].map((pid) => [pid, UNSURE] as const)])
  for (const [pid, error] of failed) {
    await publishUnread(reading, pid, unreadScopes(reading, pid, error))
  }
  return isUnsure ? new Set() : notFound
}

/** Keeps all rows of a project that only a failed account might have read: no answer shows that the project has changed. */
function unreadScopes(reading: SnapshotReading, pid: string, error: Reason): ScopeResult[] {
  if (error.code !== ACCOUNT_FAILED) return [unreadScope({ pid, stream: 'projects' }, 'failed', error)]
  const streams = new Set<StreamName>(['projects', ...streamsOfProjects(reading)])
  return [...streams].map((stream) => unreadScope({ pid, stream }, 'carried', error))
}

/** Records the projects without permission that an earlier run could read. */
export async function noteLostAccess(
  { run, lost }: SnapshotReading,
  projects: readonly ProjectToRead[],
): Promise<void> {
  const forbidden = projects.filter((project) => !isPermitted(project)).map(({ pid }) => pid)
  if (forbidden.length === 0) return
  for (const pid of await run.readBefore(forbidden)) lost.add(pid)
}

/** Marks projects that no longer exist as deleted, and records those that are only missing from the list. */
export async function markAbsent(
  reading: SnapshotReading,
  listed: ReadonlySet<string>,
  { projects, notFound }: { readonly projects: readonly ProjectToRead[]; readonly notFound: ReadonlySet<string> },
): Promise<void> {
  const { run, options, tally } = reading
  const read = projects.filter(({ pid }) => tally.isRead(pid, 'projects')).map(({ pid }) => pid)
  const { cut, deleted, refusal, tables, teamsRefusal, unlisted } = await run.markAbsentProjects(
    {
      listed,
      readable: new Set(read),
      gone: new Set([...tally.goneProjects, ...notFound]),
    },
    options.limits,
  )
  tally.addTables(tables)
  reading.unlisted.push(...unlisted)
  reading.deleted.push(...deleted)
  const unread = { pages: 0, read: 0, content_hash: null, carried: 0, carried_since: null }
  const list = { pid: null, stream: 'projects', ...unread } as const
  if (cut !== null) tally.addScope({ ...list, status: 'drifted', error: { code: POSSIBLY_CAPPED, message: cut } })
  if (refusal !== null) tally.addScope({ ...list, status: 'refused', error: { code: 'SHRINK', message: refusal } })
  if (teamsRefusal !== null) {
    const error = { code: 'SHRINK', message: teamsRefusal }
    tally.addScope({ ...list, stream: 'teams', status: 'refused', error })
  }
}
