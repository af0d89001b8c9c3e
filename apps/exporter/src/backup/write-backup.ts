import type { BagWriter } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { STREAMS } from '@collab-etl/contract/streams'
import {
  type BackupLoss,
  backupIndex,
  keyOf,
  LinkPlaces,
  LinkRewriter,
  type LinkStyle,
  MARKDOWN_FOLDER,
  PathIndex,
  People,
  textOf,
} from '@collab-etl/documents'
import { writeProjectRecords } from '../jsonl/project-records.ts'
import { RECORD_TABLES } from '../jsonl/resources.ts'
import { readUserRows } from '../jsonl/user-rows.ts'
import {
  type BackupSource,
  isWhole,
  type ScopeState,
  type SourceRow,
  type SourceTable,
  type UnreadItem,
} from '../source/backup-source.ts'
import { ServiceLinks } from '../source/service-links.ts'
import { type BackupStatus, type ProjectEntry, writeCertificate } from './certificate.ts'
import { NO_CSV_FILES, openCsvFiles } from './csv-files.ts'
import { type BackupOptions, type Counts, noCounts } from './options.ts'
import { ProjectWriter } from './project-writer.ts'

/** What a backup came to hold. */
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
  /** Told after each page and post, with what is written so far. */
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
  const scopes = await scopesToTell(source, options)
  const projects = await projectsToWrite(source, options, scopes)
  if (projects.length === 0 && options.pids !== null) {
    throw new UsageError(`none of the projects asked for is there: ${options.pids.join(', ')}`)
  }
  if (projects.length === 0 && scopes.length === 0) scopes.push(NO_PROJECTS)
  const losses = await lossesOf(source, options)
  const unread = await unreadOf(source, options)
  const writesMarkdown = options.formats.has('markdown')
  const index = new PathIndex(source, new Map(projects.map(({ pid, title }) => [pid, title])), options.naming)
  const links = new ServiceLinks(options.links, {
    baseUrl: source.origin.baseUrl,
    serviceHosts: options.serviceHosts,
    hasProject: (pid) => index.folderOf(pid) !== null,
  })
  const places = new LinkPlaces(index, links)
  const tools = {
    source,
    bag,
    csv: options.formats.has('csv') ? await openCsvFiles(bag, options.csv) : NO_CSV_FILES,
    markdown: writesMarkdown
      ? { index, links: new LinkRewriter(places, options.linkStyle), people: await People.read(source) }
      : null,
    signal: context.signal,
    lose: (loss: BackupLoss) => void losses.push(loss),
  }

  // What renders Markdown takes longer to load than all else together.
  const site = options.formats.has('html')
    ? await (await import('@collab-etl/documents/html')).Site.open({
        ...tools,
        index,
        places,
        people: tools.markdown?.people ?? (await People.read(source)),
      })
    : null
  const records = options.formats.has('jsonl') ? { ...tools, users: await readUserRows(source) } : null

  const counts = noCounts()
  const entries: ProjectEntry[] = []
  for (const [position, { pid, title, hasRow }] of projects.entries()) {
    const own = noCounts()
    const project = hasRow ? await rowOf(source, pid) : null
    const onRecord = () => context.onRecord(sum(counts, own), position + 1, projects.length)
    await new ProjectWriter({ ...tools, onRecord }, pid, own).write(project)
    await site?.writeProject(pid, project)
    Object.assign(counts, sum(counts, own))
    const { projects: _one, ...held } = own
    const entry = { pid, name: title, folder: writesMarkdown ? index.folderOf(pid) : null, counts: held }
    const jsonl = records && (await writeProjectRecords(records, pid, { name: index.nameOf(pid), project }))
    const read = source.origin.readBy?.projects.get(pid)
    entries.push({ ...entry, ...(jsonl && { jsonl }), ...(read && { read }) })
  }
  if (writesMarkdown) await writeBackupIndex(bag, entries, options.linkStyle)
  await site?.end()
  await tools.csv.end()
  const status = scopes.every(isWhole) ? 'complete' : 'partial'
  await writeCertificate(bag, {
    options,
    counts,
    projects: entries,
    scopes,
    unread,
    losses,
    status,
    origin: source.origin,
  })
  const known = await source.knownPosts()
  const knownPosts = projects.reduce((total, { pid }) => total + (known.get(pid) ?? 0), 0)
  return { counts, scopes, status, pids: projects.map(({ pid }) => pid), losses: losses.length, knownPosts }
}

async function writeBackupIndex(bag: BagWriter, entries: readonly ProjectEntry[], style: LinkStyle): Promise<void> {
  const file = await bag.stream(`${MARKDOWN_FOLDER}/README.md`)
  const listed = entries.map(({ name, folder, counts: { pages, posts } }) => {
    return { name, folder: (folder ?? '').slice(`${MARKDOWN_FOLDER}/`.length), pages, posts }
  })
  for (const piece of backupIndex(listed, style)) await file.write(piece)
  await file.end()
}

/** In order, those of the projects asked for. */
async function scopesToTell(source: BackupSource, { pids }: BackupOptions): Promise<ScopeState[]> {
  const all = await source.scopes()
  const scopes = all.filter(({ pid }) => pids === null || (pid !== null && pids.includes(pid)))
  const told = new Set(scopes.map(({ pid }) => pid))
  const missed = pids?.filter((pid) => !told.has(pid)) ?? []
  return [...scopes, ...missed.map(notStored)].sort(
    (a, b) => compareBytes(a.pid ?? '', b.pid ?? '') || STREAMS.indexOf(a.stream) - STREAMS.indexOf(b.stream),
  )
}

/** A token that sees no project is more likely the wrong token than the token of an empty workspace. */
const NO_PROJECTS: ScopeState = {
  ...{ pid: null, stream: 'projects', status: 'failed' },
  error: { code: 'NO_PROJECTS', message: 'the service lists no project for this token: nothing was backed up' },
}

/** Somebody asked for a project that the source does not know. */
function notStored(pid: string): ScopeState {
  const error = { code: 'NOT_STORED', message: `no run has read a project ${pid}` }
  return { pid, stream: 'projects', status: 'failed', error }
}

/** In order. A project whose own row could not be read is written if there is anything in it. */
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

/** The project's own row. */
async function rowOf(source: BackupSource, pid: string): Promise<SourceRow | null> {
  for await (const row of source.rows('projects', { pid })) return row
  return null
}

/** What was lost in reading, in an order that does not depend on the order of reading. */
async function lossesOf(source: BackupSource, { pids }: BackupOptions): Promise<BackupLoss[]> {
  const losses: BackupLoss[] = []
  for await (const loss of source.losses()) {
    if (pids !== null && (loss.pid === null || !pids.includes(loss.pid))) continue
    // Which form a record that came twice is told in depends on the source; that it came twice does not.
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
