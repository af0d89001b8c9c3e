import { type Context, UsageError } from '@collab-etl/cli'
import { ACCOUNT_FAILED, POSSIBLY_CAPPED } from '@collab-etl/contract/streams'
import {
  chooseProjects,
  findUnlisted,
  isNotFound,
  isPermitted,
  type ProjectList,
  type ProjectToRead,
  resultOfAll,
} from '@collab-etl/core'
import { hasStored } from '../reading/stored.ts'
import { carriedScopes, errorOf, publishUnread, readUnowned, type SnapshotReading } from './read-projects.ts'
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
    if (!isNotFound(await errorOf(client, pid, signal)) || (await hasStored(warehouse, 'projects', pid))) return
  }
  const named = projects.size === 1 ? 'has no project' : 'has none of the projects'
  throw new UsageError(
    `--project: the service ${named} ${[...projects].join(', ')}: collab-extract projects lists the ids`,
  )
}

/** Ids of the listed projects, and of stored projects that are not listed and that the service does not find. */
export interface Found {
  readonly listed: readonly string[]
  readonly notFound: ReadonlySet<string>
}

/** Reads what belongs to no project, and determines the projects to read. */
export async function findProjects(
  reading: SnapshotReading,
  list: ProjectList,
  projects: ProjectToRead[],
  signal: AbortSignal,
): Promise<Found> {
  const { warehouse, options } = reading
  if (options.namedPosts.length > 0) await warehouse.log.addKnown(options.namedPosts)
  projects.push(...chooseProjects(list.projects, options.projects))
  const absent = await addUnlisted(reading, list, projects, signal)
  const { notFound } = absent
  const shown = options.projects === null ? { ...list, result: resultOfAll(list) } : list
  await readUnowned(reading, shown, notFound, signal)
  await publishAbsent(reading, absent)
  await reading.run.surviving(() => noteLostAccess(reading, projects), signal)
  return { listed: list.projects.map(({ pid }) => pid), notFound }
}

/** Stored projects that are missing from the list and that are not read. */
type Absent = Omit<Awaited<ReturnType<typeof findUnlisted>>, 'readable'>

/**
 * Requests each stored project that is missing from the list. A project that can still be read is added to `projects`, so
 * that its rows do not become out of date unnoticed.
 */
async function addUnlisted(
  reading: SnapshotReading,
  list: ProjectList,
  projects: ProjectToRead[],
  signal: AbortSignal,
): Promise<Absent> {
  const { client, run, options } = reading
  if (options.projects !== null) return { notFound: new Set(), unread: new Map() }
  const listed = new Set(list.projects.map(({ pid }) => pid))
  const missing = await run.surviving(() => run.missingProjects(listed), signal)
  const { projectsAtOnce } = options
  const { readable, notFound, unread } = await findUnlisted(client, missing, { projectsAtOnce, signal })
  projects.push(...readable)
  // an element without a readable id may be any of the missing projects
  const isUnsure = list.losses.length > 0
  if (!isUnsure) return { notFound, unread }
  return { notFound: new Set(), unread: new Map([...unread, ...[...notFound].map((pid) => [pid, UNSURE] as const)]) }
}

/** Ends the `projects` scope of each of them as failed, or carries all scopes of those that only a failed account might have read. */
async function publishAbsent(reading: SnapshotReading, { unread }: Absent): Promise<void> {
  for (const [pid, error] of unread) {
    const isOfAccount = error.code === ACCOUNT_FAILED
    const failed = unreadScope({ pid, stream: 'projects' }, 'failed', error)
    await publishUnread(reading, pid, isOfAccount ? carriedScopes(reading, pid, error) : [failed])
  }
}

/** Records the projects without permission that an earlier run could read. */
async function noteLostAccess({ run, lost }: SnapshotReading, projects: readonly ProjectToRead[]): Promise<void> {
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
