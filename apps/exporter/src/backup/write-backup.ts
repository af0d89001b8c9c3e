import type { BagWriter } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { isWhole, STREAMS } from '@collab-etl/contract/streams'
import { ServiceLinks } from '@collab-etl/core/links'
import {
  type ConversionIssue,
  DOCUMENT_TABLES,
  type Format,
  keyOf,
  LinkPlaces,
  LinkRewriter,
  listOf,
  MarkdownFormat,
  PathIndex,
  type ProjectHead,
  type ProjectRecord,
  shareRecords,
  textOf,
} from '@collab-etl/documents'
import type { ScopeState } from '@collab-etl/warehouse'
import { CsvFormat } from '../csv/format.ts'
import { JSONL_TABLES, JsonlFormat } from '../jsonl/format.ts'
import { RECORD_TABLES } from '../jsonl/resources.ts'
import type { BackupSource, SourceTable, UnreadItem } from '../source/backup-source.ts'
import { ProjectReader } from '../source/project-reader.ts'
import { type BackupStatus, type ProjectEntry, writeManifest } from './manifest.ts'
import { type Format as BackupFormat, type BackupOptions, type Counts, noCounts } from './options.ts'

/** The contents of a backup that was written. */
export interface BackupContents {
  readonly counts: Counts
  /** In order of project and stream. */
  readonly scopes: readonly ScopeState[]
  readonly status: BackupStatus
  /** Ids of the projects that it holds. */
  readonly pids: readonly string[]
  readonly losses: number
  /** Posts known in the backup's projects, of which those of `counts` could be read. */
  readonly knownPosts: number
}

export interface WriteContext {
  readonly signal: AbortSignal
  /** Called after each page and post, with what is written so far. */
  readonly onRecord: (counts: Counts, project: number, projects: number) => void
}

interface ProjectToWrite {
  readonly pid: string
  readonly title: string | null
  readonly hasRow: boolean
}

/** Writes the payload of a backup: everything under `data/`. The same state of the source gives the same bytes. */
export async function writeBackup(
  source: BackupSource,
  bag: BagWriter,
  options: BackupOptions,
  context: WriteContext,
): Promise<BackupContents> {
  const scopes = await scopesToReport(source, options)
  const projects = await projectsToWrite(source, options, scopes)
  if (projects.length === 0 && options.pids !== null) {
    throw new UsageError(`none of the requested projects exists: ${options.pids.join(', ')}`)
  }
  if (projects.length === 0 && scopes.length === 0) scopes.push(NO_PROJECTS)
  const losses = await lossesOf(source, options)
  const unread = await unreadOf(source, options)
  const index = new PathIndex(source, new Map(projects.map(({ pid, title }) => [pid, title])), options.naming)
  const { formats, reader } = await openFormats(source, index, options)
  for (const format of formats) await format.begin(bag)

  const counts = noCounts()
  const entries: ProjectEntry[] = []
  for (const [position, { pid, title, hasRow }] of projects.entries()) {
    const own = noCounts()
    const onRecord = () => context.onRecord(sum(counts, own), position + 1, projects.length)
    const head = await reader.head(pid, hasRow)
    if (head.row) own.projects += 1
    const records = counted(reader.records(pid), own, { ...context, onRecord })
    const written = await writeProject(formats, bag, head, records)
    losses.push(...written.issues)
    Object.assign(counts, sum(counts, own))
    const { projects: _one, ...held } = own
    const folder = options.formats.has('markdown') ? index.folderOf(pid) : null
    const read = source.origin.readBy?.projects.get(pid)
    entries.push({ pid, name: title, folder, counts: held, ...written.entry, ...(read && { read }) })
  }
  for (const format of formats) await format.end(bag)
  const status = scopes.every(isWhole) ? 'complete' : 'partial'
  const { origin } = source
  await writeManifest(bag, { options, counts, projects: entries, scopes, unread, losses, status, origin })
  const known = await source.knownPosts()
  const knownPosts = projects.reduce((total, { pid }) => total + (known.get(pid) ?? 0), 0)
  return { counts, scopes, status, pids: projects.map(({ pid }) => pid), losses: losses.length, knownPosts }
}

/** The formats of a backup, in the order in which the manifest lists their files, and the reader of their records. */
async function openFormats(
  source: BackupSource,
  index: PathIndex,
  options: BackupOptions,
): Promise<{ readonly formats: readonly Format[]; readonly reader: ProjectReader }> {
  const has = (format: BackupFormat) => options.formats.has(format)
  const csv = new CsvFormat(options.csv)
  const tables = new Set([
    ...(has('csv') ? csv.tables : []),
    ...(has('markdown') || has('html') ? DOCUMENT_TABLES : []),
    ...(has('jsonl') ? JSONL_TABLES : []),
  ])
  const reader = new ProjectReader(source, tables)
  const users = await reader.users(has('jsonl') ? undefined : ['uid', 'name'])
  const links = new ServiceLinks(options.links, {
    baseUrl: source.origin.baseUrl,
    serviceHosts: options.serviceHosts,
    hasProject: (pid) => index.folderOf(pid) !== null,
  })
  const places = new LinkPlaces(index, links)
  const formats: Format[] = []
  if (has('markdown')) formats.push(new MarkdownFormat(index, new LinkRewriter(places, options.linkStyle), users))
  if (has('html')) {
    // Loading the renderer takes longer than loading everything else.
    const { HtmlFormat } = await import('@collab-etl/documents/html')
    formats.push(await HtmlFormat.open(index, places, users, { reportsIssues: !has('markdown') }))
  }
  if (has('jsonl')) formats.push(new JsonlFormat((pid) => index.nameOf(pid), users))
  if (has('csv')) formats.push(csv)
  return { formats, reader }
}

interface WrittenProject {
  /** Fields that the formats add to the project's entry in the manifest. */
  readonly entry: object
  readonly issues: readonly ConversionIssue[]
}

/** Writes a project in all formats. Files and issues are ordered by format. */
async function writeProject(
  formats: readonly Format[],
  bag: BagWriter,
  head: ProjectHead,
  records: AsyncIterable<ProjectRecord>,
): Promise<WrittenProject> {
  const parts = formats.map((format, position) => {
    const issues: ConversionIssue[] = []
    // The first format needs no section: its manifest lines can be written at once.
    const section = position === 0 ? null : bag.section()
    const output = { files: section ?? bag, report: (issue: ConversionIssue) => void issues.push(issue) }
    const consume = (own: AsyncIterable<ProjectRecord>) => format.project(head, own, output)
    return { issues, section, consume }
  })
  const entries = await shareRecords(
    records,
    parts.map(({ consume }) => consume),
  )
  for (const { section } of parts) await section?.end()
  return { entry: Object.assign({}, ...entries), issues: parts.flatMap(({ issues }) => issues) }
}

/** Counts records as they are written. */
async function* counted(
  records: AsyncIterable<ProjectRecord>,
  counts: Counts,
  { signal, onRecord }: { readonly signal: AbortSignal; readonly onRecord: () => void },
): AsyncGenerator<ProjectRecord, void, undefined> {
  for await (const record of records) {
    signal.throwIfAborted()
    yield record
    if (record.table !== 'pages' && record.table !== 'posts') continue
    counts[record.table] += 1
    counts.post_comments += listOf(record, 'post_comments').length
    onRecord()
  }
}

/** The scopes of the requested projects, in order. */
async function scopesToReport(source: BackupSource, { pids }: BackupOptions): Promise<ScopeState[]> {
  const all = await source.scopes()
  const scopes = all.filter(({ pid }) => pids === null || (pid !== null && pids.includes(pid)))
  const covered = new Set(scopes.map(({ pid }) => pid))
  const missed = pids?.filter((pid) => !covered.has(pid)) ?? []
  return [...scopes, ...missed.map(notStored)].sort(
    (a, b) => compareBytes(a.pid ?? '', b.pid ?? '') || STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream),
  )
}

/** If the token sees no project, it is more likely the wrong token than that of an empty team. */
const NO_PROJECTS: ScopeState = {
  ...{ pid: null, stream: 'projects', status: 'failed' },
  error: { code: 'NO_PROJECTS', message: 'the service lists no project for this token: nothing was backed up' },
}

/** A requested project that the source does not know. */
function notStored(pid: string): ScopeState {
  const error = { code: 'NOT_STORED', message: `no run has read a project ${pid}` }
  return { pid, stream: 'projects', status: 'failed', error }
}

/** The projects to write, in order. One whose own row could not be read is written if it has any records. */
async function projectsToWrite(
  source: BackupSource,
  { pids, formats }: BackupOptions,
  scopes: readonly ScopeState[],
): Promise<ProjectToWrite[]> {
  const tables = formats.has('jsonl') ? RECORD_TABLES.map(({ table }) => table) : (['pages', 'posts'] as const)
  const projects = new Map<string, ProjectToWrite>()
  for await (const row of source.rows('projects', { columns: ['pid', 'name'] })) {
    const pid = keyOf(row, 'pid')
    if (pids === null || pids.includes(pid)) projects.set(pid, { pid, title: textOf(row, 'name'), hasRow: true })
  }
  for (const { pid } of scopes) {
    if (pid !== null && !projects.has(pid) && (await hasRows(source, tables, pid))) {
      projects.set(pid, { pid, title: null, hasRow: false })
    }
  }
  return [...projects.values()].sort((a, b) => compareBytes(a.pid, b.pid))
}

async function hasRows(source: BackupSource, tables: readonly SourceTable[], pid: string): Promise<boolean> {
  for (const table of tables) {
    for await (const _row of source.rows(table, { pid, columns: ['pid'] })) return true
  }
  return false
}

/** The conversion issues of the source, in an order that does not depend on the order of reading. */
async function lossesOf(source: BackupSource, { pids }: BackupOptions): Promise<ConversionIssue[]> {
  const losses: ConversionIssue[] = []
  for await (const loss of source.losses()) {
    if (pids !== null && (loss.pid === null || !pids.includes(loss.pid))) continue
    // The original of a duplicate record depends on the source; that there is a duplicate does not.
    losses.push(loss.kind === 'duplicate' ? { ...loss, original: null } : loss)
  }
  const order = ['pid', 'stream', 'record_key', 'field', 'kind', 'original'] as const
  return losses.sort((a, b) => order.reduce((found, name) => found || compareBytes(a[name] ?? '', b[name] ?? ''), 0))
}

/** Items that could not be read, in an order that does not depend on the order of reading. */
async function unreadOf(source: BackupSource, { pids }: BackupOptions): Promise<UnreadItem[]> {
  const unread = await source.unreadItems()
  const order = ['pid', 'stream', 'item_id'] as const
  return unread
    .filter(({ pid }) => pids === null || (pid !== null && pids.includes(pid)))
    .sort((a, b) => order.reduce((found, name) => found || compareBytes(a[name] ?? '', b[name] ?? ''), 0))
}

function sum(a: Counts, b: Counts): Counts {
  return {
    projects: a.projects + b.projects,
    pages: a.pages + b.pages,
    posts: a.posts + b.posts,
    post_comments: a.post_comments + b.post_comments,
  }
}
