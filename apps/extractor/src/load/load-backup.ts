import { type BackupManifest, type BackupProject, type ManifestFacts, readManifestList } from '@collab-etl/backups'
import type { BackupBatches } from '@collab-etl/backups/batches'
import type { BackupReader } from '@collab-etl/backups/read'
import type { Offered } from '@collab-etl/contract'
import {
  type AcceptedFailure,
  type CommentedTask,
  type ConversionIssue,
  type IssueKind,
  isOptional,
  isWhole,
  OPTIONAL_STREAMS,
  type Scope,
  type ScopeResult,
  type StreamBatch,
  type StreamName,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import { defaultEventsTo, EVENTS_FROM } from '@collab-etl/core'
import {
  type AcceptedScope,
  type CountsByTable,
  type Load,
  NOT_STATED,
  type ProjectStage,
  type Run,
  type Warehouse,
} from '@collab-etl/warehouse'
import { noteMissing } from './missing.ts'
import { noteAccounts } from './note-accounts.ts'

/** A backup that is loaded. */
export interface OpenedBackup {
  readonly name: string
  readonly backup: BackupReader
  readonly batches: BackupBatches
  readonly facts: ManifestFacts
  /** When its newest data were read. */
  readonly readAt: Date
}

interface Loading extends OpenedBackup {
  readonly warehouse: Warehouse
  readonly run: Run
  readonly load: Load
  /** Whether the warehouse was empty. */
  readonly isFirst: boolean
  readonly signal: AbortSignal
  readonly onRecords: (count: number) => void
  readonly addTables: (tables: CountsByTable) => void
}

/** How a backup says that a scope was read. */
type StatedScope = NonNullable<BackupManifest['scopes']>[number]

/** What a backup lists of its reading, by project and stream. */
interface Listed {
  readonly losses: ReadonlyMap<string, readonly ConversionIssue[]>
  readonly unread: ReadonlyMap<string, readonly UnreadItem[]>
}

/** The deletions of a backup were decided when it was made. */
const LIMITS = { maxShrink: 1, allowShrink: true }

/** A backup of a warehouse has the events of all times, one of the service (--from api) those of the default range. */
const ALL_TIME = { from: new Date('0001-01-01T00:00:00.000Z'), to: new Date('9999-12-31T23:59:59.999Z') }

/** Conversion issues of the backup itself: they say nothing about what was stored. */
const OF_BACKUPS =
  /^(?:parent_missing|parent_cycle|path_too_long|link_target_missing|links_not_rewritten|html_not_rendered|not_in_icalendar)$/

const NOT_COVERED = { code: 'NOT_COVERED', message: 'the backup was made for some projects only' }

/** Known ids whose source is the backup. */
const SOURCE = 'backup'

/** Stores a backup in its run, which stays open. Only scopes that the backup says are complete delete rows. */
export async function loadBackup(loading: Loading): Promise<void> {
  const { backup, run, load, facts, signal } = loading
  const { manifest } = backup
  const listed = await readListed(backup)
  await loadUnowned(loading)
  for (const project of manifest.projects) {
    signal.throwIfAborted()
    await loadProject(loading, project, listed)
  }
  const inList = manifest.projects.filter((project) => !isKept(project))
  await noteAccounts(run, loading.warehouse, { ...manifest, projects: inList })
  await run.noteCapabilities(offeredIn(manifest))
  const hasAll = facts.coverage.projects === null && isWhole(listScope(manifest, 'projects'))
  if (hasAll && isOfWarehouse(loading)) await markGone(loading)
  const kept = manifest.projects.filter((project) => isKept(project))
  await load.keep(run, kept)
}

/**
 * Whether what a complete backup lacks was found to be gone. One of the service lacks projects that are missing from the list, and posts and
 * files that no text names any more.
 */
function isOfWarehouse({ backup }: OpenedBackup): boolean {
  return backup.source === 'warehouse'
}

function eventsRange(opened: OpenedBackup): NonNullable<ScopeResult['range']> {
  return isOfWarehouse(opened) ? ALL_TIME : { from: EVENTS_FROM, to: defaultEventsTo(opened.readAt) }
}

/** Marks the projects deleted that a backup of all projects does not have. */
async function markGone({ backup: { manifest }, run, load, addTables }: Loading): Promise<void> {
  // a project without a row may have a scope: it was listed, and could not be read
  const held = new Set([...manifest.projects, ...(manifest.scopes ?? [])].flatMap(({ pid }) => pid ?? []))
  const gone = new Set(await load.missingProjects(run, held))
  const listed = new Set(manifest.projects.filter((project) => !isKept(project)).map(({ pid }) => pid))
  addTables((await run.markAbsentProjects({ listed, gone, readable: new Set() }, LIMITS)).tables)
}

/** Whether it was not in the list of projects. */
function isKept({ unlisted_since, only_in_team }: BackupProject): boolean {
  return unlisted_since !== undefined || only_in_team !== undefined
}

/** Scopes of which all that is missing was accepted. */
export function acceptedIn({ scopes = [] }: BackupManifest): AcceptedScope[] {
  return scopes.flatMap(({ pid, stream, accepted }) =>
    accepted === undefined
      ? []
      : [{ pid, stream: stream as StreamName, accepted: accepted as readonly AcceptedFailure[] }],
  )
}

/** Users, teams, and what the backup lacks. */
async function loadUnowned(loading: Loading): Promise<void> {
  const { backup, batches, facts, run, warehouse } = loading
  const { manifest } = backup
  const stage = await run.stage(null)
  const list: Scope = { pid: null, stream: 'projects' }
  await stage.write(list, await batches.users())
  noteMissing(stage, list, batches.tables, manifest.projects.length)
  const teams: Scope = { pid: null, stream: 'teams' }
  const batch = await batches.teams()
  const times = timesOf(loading)
  const isCovered = facts.coverage.projects === null
  const endingOf = (stream: 'projects' | 'teams') =>
    isCovered ? ending(listScope(manifest, stream), true) : ({ status: 'partial', error: NOT_COVERED } as const)
  await stage.end({ scope: list, ...endingOf('projects'), read: 0, ...times })
  const isKnown = async () => (await warehouse.log.listReadings()).some((reading) => reading.stream === 'teams')
  if (batch.records.length > 0 || (isCovered && (await isKnown()))) {
    await stage.write(teams, batch)
    await stage.end({ scope: teams, ...endingOf('teams'), read: batch.records.length, lacksProjects: 'all', ...times })
  }
  loading.addTables((await stage.publish(LIMITS)).tables)
}

async function loadProject(loading: Loading, project: BackupProject, listed: Listed): Promise<void> {
  const { backup, batches, run, signal } = loading
  const { pid } = project
  const stage = await run.stage(pid)
  const scopes = new Map(
    backup.manifest.scopes?.filter((scope) => scope.pid === pid).map((each) => [each.stream, each]),
  )
  const read = new Map<StreamName, number>()
  const ids = { post: new Set<string>(), file: new Set<string>() }
  const hasComments = isWhole(scopes.get('task_comments') ?? { status: 'failed' })
  for await (const { stream, batch } of batches.of(project)) {
    signal.throwIfAborted()
    await stage.write({ pid, stream }, batch)
    read.set(stream, (read.get(stream) ?? 0) + batch.records.length)
    loading.onRecords(batch.records.length)
    addIds(ids, batch)
    if (hasComments && (batch.kind === 'task' || batch.kind === 'archived_task'))
      await noteComments(loading, stage, pid, batch)
  }
  for (const stream of batches.streams) {
    const scope = scopes.get(stream)
    const count = read.get(stream) ?? 0
    if (scope === undefined && count === 0) continue
    const result = { ...ending(scope, count > 0), scope: { pid, stream }, read: count, ...timesOf(loading) }
    const items = listed.unread.get(`${pid} ${stream}`) ?? []
    if (stream === 'posts') await noteItems(loading, stage, 'post', ids.post, result, items)
    if (stream === 'files') await noteItems(loading, stage, 'file', ids.file, result, items)
    stage.note({ pid, stream }, listed.losses.get(`${pid} ${stream}`) ?? [])
    const unread = items.map((item) => ({ ...item, isFromText: result.status === 'complete' }))
    await stage.end({
      ...result,
      ...(items.length > 0 && { unread }),
      ...(stream === 'events' && { range: eventsRange(loading) }),
      ...(stream === 'projects' && scope?.status === 'skipped' && count > 0 && { status: 'skipped', fromList: true }),
    })
  }
  loading.addTables((await stage.publish(LIMITS)).tables)
}

/** A scope that was not complete is stored as far as the backup has it, and deletes nothing. */
function ending(stated: StatedScope | undefined, hasRecords: boolean): Pick<ScopeResult, 'status' | 'error'> {
  if (stated === undefined)
    return { status: 'partial', error: { code: NOT_STATED, message: 'the backup does not say how it was read' } }
  if (stated.status === 'complete' || stated.status === 'carried') return { status: 'complete' }
  const error = (stated.error ?? { code: NOT_STATED, message: stated.status }) as NonNullable<ScopeResult['error']> // as backups have it
  if (!hasRecords && (stated.status === 'failed' || stated.status === 'skipped'))
    return { status: stated.status, error }
  return { status: stated.status === 'drifted' ? 'drifted' : 'partial', error }
}

/** The list of projects or of teams: a backup states it only if it was not read completely. */
function listScope({ scopes = [] }: BackupManifest, stream: 'projects' | 'teams'): StatedScope {
  return (
    scopes.find((scope) => scope.pid === null && scope.stream === stream) ?? { pid: null, stream, status: 'complete' }
  )
}

function addIds(ids: { readonly post: Set<string>; readonly file: Set<string> }, batch: StreamBatch): void {
  if (batch.kind === 'post') for (const { post_id: id } of batch.records) ids.post.add(id)
  if (batch.kind === 'file') for (const { fid: id } of batch.records) ids.file.add(id)
}

/** The comments of these tasks are all in the backup: stored ones that it lacks are gone. */
async function noteComments(
  { warehouse, isFirst }: Loading,
  stage: ProjectStage,
  pid: string,
  { records }: Extract<StreamBatch, { kind: 'task' | 'archived_task' }>,
): Promise<void> {
  const tasks: CommentedTask[] = records.map(({ tid, badges, updated_at }) => {
    return { tid, comment_count: badges?.comment_count ?? null, updated_at }
  })
  // as a snapshot: those that have comments, or stored ones
  const due = new Set(isFirst ? [] : (await warehouse.log.taskCommentReadings(pid, tasks)).map(({ tid }) => tid))
  const read = tasks.filter(({ tid, comment_count: count }) => (isFirst ? count !== 0 : due.has(tid)))
  await stage.write({ pid, stream: 'task_comments' }, { kind: 'task_comments_read', records: read, losses: [] })
}

/** Notes which posts or files are known, and of the stored ones, those that a complete scope does not have: they are gone. */
async function noteItems(
  loading: Loading,
  stage: ProjectStage,
  kind: 'post' | 'file',
  held: ReadonlySet<string>,
  { status, scope }: Pick<ScopeResult, 'status' | 'scope'>,
  unread: readonly UnreadItem[],
): Promise<void> {
  const pid = scope.pid ?? ''
  const known = [...held, ...unread.map(({ id }) => id.replace(/\/comments$/, ''))]
  const isSure = status === 'complete' && isOfWarehouse(loading)
  const stored = isSure ? await loading.warehouse.log.knownIds(kind, pid) : []
  const gone = stored.flatMap(({ id, isStored }) => (isStored && !held.has(id) ? id : []))
  const write = (batch: StreamBatch) => stage.write(scope, batch)
  if (kind === 'post') {
    const records = known.map((post_id) => ({ pid, post_id, source: SOURCE }))
    await write({ kind: 'known_post', records, losses: [] })
    await write({ kind: 'not_found_post', records: gone.map((post_id) => ({ post_id })), losses: [] })
  } else {
    const records = known.map((fid) => ({ pid, fid, source: SOURCE }))
    await write({ kind: 'known_file', records, losses: [] })
    await write({ kind: 'not_found_file', records: gone.map((fid) => ({ fid })), losses: [] })
  }
}

function timesOf({ readAt }: OpenedBackup) {
  return { pages: 0, requests: 0, bytes: 0, startedAt: readAt, finishedAt: readAt }
}

/** What the service offered beyond its documentation, as far as the backup shows it. */
function offeredIn({ scopes = [], posts }: BackupManifest): Offered {
  const streams = [...new Set(scopes.map(({ stream }) => stream as StreamName))].filter(isOptional)
  const listsPosts = posts?.startsWith('those that the service lists') === true
  return {
    ...Object.fromEntries(streams.map((stream) => [OPTIONAL_STREAMS[stream], true])),
    ...(listsPosts && { 'posts.list': true }),
  }
}

async function readListed({ path }: BackupReader): Promise<Listed> {
  const losses = new Map<string, ConversionIssue[]>()
  for await (const item of readManifestList(path, 'losses')) {
    const { pid, stream, record_key, field, kind, original } = item as Readonly<Record<string, string | null>> // as backups have it
    if (kind == null || OF_BACKUPS.test(kind)) continue
    const issue = {
      recordKey: record_key ?? '',
      field: field ?? '',
      kind: kind as IssueKind,
      original: original ?? null,
    }
    add(losses, `${pid} ${stream}`, issue)
  }
  const unread = new Map<string, UnreadItem[]>()
  for await (const item of readManifestList(path, 'unread_items')) {
    const { pid, stream, item_id, error_code, error } = item as Readonly<Record<string, string | null>> // as backups have it
    const why = { code: error_code ?? '', message: error ?? '' }
    add(unread, `${pid} ${stream}`, { id: item_id ?? '', source: SOURCE, error: why, isFromText: false })
  }
  return { losses, unread }
}

function add<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key)
  if (list) list.push(item)
  else lists.set(key, [item])
}
