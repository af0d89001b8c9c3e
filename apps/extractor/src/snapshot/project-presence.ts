import { ACCOUNT_FAILED, POSSIBLY_CAPPED } from '@collab-etl/contract/streams'
import { findUnlisted, isPermitted, type ProjectList, type ProjectToRead } from '@collab-etl/core'
import { carriedScopes, publishUnread, type SnapshotReading } from './read-projects.ts'
import { unreadScope } from './tally.ts'

const UNSURE = {
  code: 'UNKEYED',
  message:
    'the service answered that it does not exist, but the list of projects has an element without a readable id, which may be this project',
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
    const isOfAccount = error.code === ACCOUNT_FAILED
    const failed = unreadScope({ pid, stream: 'projects' }, 'failed', error)
    await publishUnread(reading, pid, isOfAccount ? carriedScopes(reading, pid, error) : [failed])
  }
  return isUnsure ? new Set() : notFound
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
