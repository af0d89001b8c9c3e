import { type Format as BackupFormat, heldContent, streamsHeld } from '@collab-etl/backups'
import type { EarlierBackup } from '@collab-etl/backups/repository'
import type { BagWriter } from '@collab-etl/bagit'
import { ServiceLinks } from '@collab-etl/core/links'
import {
  DOCUMENT_TABLES,
  FileReferences,
  type Format,
  keyOf,
  LinkPlaces,
  LinkRewriter,
  MarkdownFormat,
  PathIndex,
} from '@collab-etl/documents'
import { type ScopeState, TABLES, type TableHashes, type TableName, TableSums } from '@collab-etl/warehouse'
import { CsvFormat } from '../csv/format.ts'
import { CSV_SOURCE_TABLES, CSV_UNOWNED } from '../csv/tables.ts'
import { JSONL_TABLES, JsonlFormat } from '../jsonl/format.ts'
import { stateAt, summaryOf } from '../report/facts.ts'
import { ReportLinks } from '../report/links.ts'
import { addReport } from '../report/write-report.ts'
import type { BackupRows } from '../source/backup-rows.ts'
import { ProjectReader } from '../source/project-reader.ts'
import { Incremental } from './incremental.ts'
import { openInputs, readVersions } from './inputs.ts'
import { type BackupStatus, type ProjectEntry, statusOf, writeManifest } from './manifest.ts'
import { type BackupOptions, COUNTED_KINDS, type Counts, noCounts, sum } from './options.ts'
import { peopleOf, UserVersions } from './people.ts'
import { type ProjectToWrite, planBackup } from './plan.ts'
import { type Writing, writeProject } from './write-project.ts'

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
  /** Name and version of the program. If it is set and the source has versions, the backup records the inputs of its files. */
  readonly software?: string
  /** Directory for temporary files; default: that of the system. */
  readonly temporaryPath?: string
  /** The previous backup, with which the report compares this one. */
  readonly earlier?: EarlierBackup | null
  /** Folder of the previous backup whose unchanged files are reused; its tag files are intact. */
  readonly previous?: string | null
  /** Called after each record, with what is written so far. */
  readonly onRecord: (counts: Counts, project: number, projects: number) => void
}

/**
 * Writes the payload of a backup: everything under `data/`. The same state of the source gives the same bytes; `report.html` also depends on the
 * previous backup. A later reading of the same state changes `report.html` and the beginning of the indexes, which say when it was read.
 */
export async function writeBackup(
  source: BackupRows,
  bag: BagWriter,
  options: BackupOptions,
  context: WriteContext,
): Promise<BackupContents> {
  const content = heldContent(options.formats, options.content)
  const tables = tablesOf(options)
  const reader = new ProjectReader(source, tables)
  const versions = context.software === undefined ? null : readVersions(source, tables)
  const { scopes, projects, unread, ...plan } = await planBackup(source, options, tables)
  const losses = [...plan.losses]
  const index = new PathIndex(
    reader,
    new Map(projects.map(({ pid, title }) => [pid, title])),
    options.naming,
    options.taskFiles,
  )
  using opened = await openFormats({
    source,
    reader,
    index,
    options: { ...options, content },
    tables,
    bag,
    projects,
    context,
    versions,
  })
  const { formats, incremental } = opened
  for (const format of formats.values()) await format.begin?.(bag)

  const counts = noCounts(content)
  const entries: ProjectEntry[] = []
  const sums = new TableSums()
  const people = new Set<string>()
  for (const [position, { pid, title, hasRow, kept }] of projects.entries()) {
    const own = noCounts(content)
    const onRecord = () => context.onRecord(sum(counts, own), position + 1, projects.length)
    const head = await reader.head(pid, hasRow)
    const written = await writeProject(opened, head, own, { ...context, onRecord })
    losses.push(...written.issues)
    sums.addAll(written.tables)
    for (const uid of written.people) people.add(uid)
    Object.assign(counts, sum(counts, own))
    const { projects: _one, ...held } = own
    const folder = options.formats.has('markdown') ? index.folderOf(pid) : null
    const read = source.origin.readBy?.projects.get(pid)
    const account = source.origin.accounts?.readers.get(pid)
    const readings = { ...(read && { read }), ...(account !== undefined && { account }) }
    entries.push({ pid, name: title, folder, counts: held, ...written.entry, ...readings, ...kept })
  }
  const { origin } = source
  const summary = summaryOf({ origin, counts, content, scopes })
  for (const format of formats.values()) await format.end(bag, summary)
  if (content.has('users')) counts.users = opened.countUsers()
  await incremental?.end()
  const status = statusOf(scopes)
  const hashes = await hashesOf({ source, held: tablesHeld(options, tables), sums, people })
  await writeManifest(bag, {
    options,
    counts,
    tables: hashes,
    projects: entries,
    scopes,
    unread,
    losses,
    status,
    origin,
  })
  const { software, earlier = null, signal } = context
  await addReport(
    bag,
    { ...options, origin, software, content, counts, projects: entries, scopes, unread, status, issues: losses },
    { source, tables, earlier, signal, links: new ReportLinks(bag.folder, index, options.formats) },
  )
  const known = await source.knownPosts()
  const knownPosts = projects.reduce((total, { pid }) => total + (known.get(pid) ?? 0), 0)
  return { counts, scopes, status, pids: projects.map(({ pid }) => pid), losses: losses.length, knownPosts }
}

/** The formats of a backup, and the users that they have written so far. */
type OpenedFormats = Writing & Disposable & { readonly countUsers: () => number }

/** The tables that the formats of a backup are made of. */
function tablesOf({ formats, content }: BackupOptions): ReadonlySet<string> {
  const tables = new Set<string>([
    ...(formats.has('csv') ? CSV_SOURCE_TABLES : []),
    ...(formats.has('markdown') || formats.has('html') ? DOCUMENT_TABLES : []),
    ...(formats.has('jsonl') ? JSONL_TABLES : []),
  ])
  const streams = streamsHeld(formats, content)
  const held = TABLES.filter((table) => table.streams.some((stream) => streams.includes(stream)))
  return new Set(held.map(({ name }) => name).filter((name) => tables.has(name)))
}

/** The tables whose rows a backup holds. Users are embedded in JSON lines. */
function tablesHeld({ formats, content }: BackupOptions, tables: ReadonlySet<string>): readonly TableName[] {
  const hasUsers = heldContent(formats, content).has('users')
  const held = new Set<string>([...tables, 'projects', ...(hasUsers && formats.has('csv') ? CSV_UNOWNED : [])])
  if (!hasUsers && !formats.has('jsonl')) held.delete('users')
  return TABLES.map(({ name }) => name).filter((name) => held.has(name))
}

/** The hashes of these tables: adds teams and users, which belong to no project, to the sums of projects. */
async function hashesOf({
  source,
  held,
  sums,
  people,
}: {
  readonly source: BackupRows
  readonly held: readonly TableName[]
  readonly sums: TableSums
  /** Users that the rows of projects name. */
  readonly people: ReadonlySet<string>
}): Promise<TableHashes> {
  const named = new Set(people)
  if (held.includes('teams')) {
    for await (const row of source.rows('teams')) {
      sums.add('teams', row)
      for (const uid of peopleOf({ row, lists: new Map() })) named.add(uid)
    }
  }
  if (held.includes('users')) {
    for await (const row of source.rows('users')) if (named.has(keyOf(row, 'uid'))) sums.add('users', row)
  }
  return sums.of(held)
}

/** The columns of users that formats other than JSON lines and CSV show. */
const USER_COLUMNS = { html: ['uid', 'name', 'display_name', 'description', 'email'], others: ['uid', 'name'] } as const

/** Opens the formats of a backup, and the previous backup whose unchanged files are reused. */
async function openFormats(of: {
  readonly source: BackupRows
  readonly reader: ProjectReader
  readonly index: PathIndex
  readonly options: BackupOptions
  readonly tables: ReadonlySet<string>
  readonly bag: BagWriter
  readonly projects: readonly ProjectToWrite[]
  readonly context: WriteContext
  readonly versions: ReturnType<typeof readVersions>
}): Promise<OpenedFormats> {
  const { source, reader, index, options, tables, bag } = of
  const has = (format: BackupFormat) => options.formats.has(format)
  const users = await reader.users(has('jsonl') ? undefined : USER_COLUMNS[has('html') ? 'html' : 'others'])
  const links = new ServiceLinks(options.links, {
    baseUrl: source.origin.baseUrl,
    serviceHosts: options.serviceHosts,
    hasProject: (pid) => index.folderOf(pid) !== null,
  })
  const places = new LinkPlaces(index, links)
  const references = new FileReferences(links)
  const inputs = await openInputs(of)
  const { content } = options
  const formats = new Map<BackupFormat, Format>()
  const kinds = new Set(COUNTED_KINDS.filter((kind) => content.has(kind)))
  if (has('markdown')) {
    const markdown = new MarkdownFormat({
      index,
      users,
      kinds,
      references,
      titleHeading: options.titleHeading,
      links: new LinkRewriter(places, options.linkStyle),
    })
    formats.set('markdown', markdown)
  }
  if (has('html')) {
    // Loading the renderer takes longer than loading everything else.
    const { HtmlFormat } = await import('@collab-etl/documents/html')
    const site = { reportsIssues: !has('markdown'), content, references, asOf: stateAt(source.origin) || null }
    formats.set('html', await HtmlFormat.open(index, places, users, site))
  }
  if (has('jsonl'))
    formats.set(
      'jsonl',
      new JsonlFormat((pid) => index.nameOf(pid), users, { tables, teams: () => source.rows('teams') }),
    )
  let usersWritten = 0
  if (has('csv')) {
    const unowned = async function* (table: 'users' | 'teams') {
      for await (const row of source.rows(table)) {
        if (table === 'users') usersWritten += 1
        yield row
      }
    }
    formats.set('csv', new CsvFormat(options.csv, { content, unowned, splice: inputs?.splice ?? null }))
  }
  const incremental = inputs && new Incremental({ ...inputs, bag, index, places, users: new UserVersions(users) })
  return {
    formats,
    references,
    reader,
    index,
    incremental,
    bag,
    countUsers: () => (has('csv') ? usersWritten : users.size),
    [Symbol.dispose]: () => inputs?.previous?.[Symbol.dispose](),
  }
}
