import { DamagedBagError, linesOf } from '@collab-etl/bagit'
import { Comment, Profile, Team } from '@collab-etl/contract'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { TEXT_COLUMNS } from '@collab-etl/contract/source'
import type { ConversionIssue, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import { readerOf } from '@collab-etl/core/read'
import { listsOf, type TableName, tableByName } from '@collab-etl/warehouse/records'
import { BACKUP_MANIFEST, type BackupProject } from '../backup-manifest.ts'
import type { BackupReader } from './backup-reader.ts'
import { batchOf, commentsIn, projectIn, recordIn } from './jsonl.ts'
import { Peeked } from './ordered.ts'
import { Rebuilder, type RecordLine } from './rebuilder.ts'
import {
  CSV_LISTS,
  JSONL_FILES,
  type JsonlFile,
  type RecordFormat,
  type RecordTable,
  TEAMS_FILE,
  tablesWithin,
  USERS_FILE,
} from './record-files.ts'

/** Lines that become a batch. */
const LINES_AT_ONCE = 100

/** The tables of a project's records, in the order in which they are read. */
const OF_PROJECTS = [
  'projects',
  'project_members',
  'entries',
  'tasks',
  'pages',
  'posts',
  'events',
  'files',
  'webhooks',
] as const satisfies readonly RecordTable[]

type ProjectTable = (typeof OF_PROJECTS)[number]

/** The fields that Markdown has of a record; of the texts it has one. */
const IN_MARKDOWN: Partial<Record<ProjectTable, readonly string[]>> = {
  projects: ['pid', 'name'],
  tasks: [
    ...['tid', 'pid', 'entry_id', 'entry_name', 'name', 'desc', 'pos', 'completed', 'completed_date', 'expire_date'],
    ...['created_at', 'updated_at', 'labels', 'todos', 'members', 'watchers', 'project'],
  ],
  pages: ['page_id', 'pid', 'parent_id', 'name', 'content', 'summary', 'created_at', 'updated_at', 'owner', 'watchers'],
  posts: ['post_id', 'pid', 'name', 'content', 'summary', 'created_at', 'updated_at', 'owner', 'watchers'],
}

/** Records of one stream. */
export interface BackupBatch {
  readonly stream: StreamName
  readonly batch: StreamBatch
}

/** What a table of a backup is read from, and what that lacks. */
export interface TableSource {
  readonly table: ProjectTable
  /** `null`: no format of the backup has the table. */
  readonly format: RecordFormat | null
  /** Fields of its records that the format does not have. */
  readonly lacks: readonly string[]
}

type Line = Readonly<Record<string, unknown>>

const NO_OTHERS = new Rebuilder(null, new Map())

/**
 * The records of a backup as batches of the streams of a snapshot, as if they came from the service. A field that the format does not have
 * is listed as left out of each record, so that a stored value is kept.
 */
export class BackupBatches implements AsyncDisposable {
  readonly tables: readonly TableSource[]
  readonly #backup: BackupReader
  /** The lines of all projects, of tables whose files hold several; in the order of the manifest. */
  readonly #lines = new Map<ProjectTable, Peeked<RecordLine>>()

  constructor(backup: BackupReader) {
    this.#backup = backup
    this.tables = OF_PROJECTS.map((table) => {
      const format = formatOf(backup, table)
      return { table, format, lacks: format === null ? [] : lackingIn(format, table) }
    })
  }

  /** Whether the users of the records have all their values. */
  get hasUsers(): boolean {
    return this.#backup.manifest.formats.includes('jsonl') || this.#backup.holds('csv', 'users')
  }

  /** Whether a table comes back with all its rows and columns. */
  holdsAll(name: TableName): boolean {
    if (name === 'users') return this.hasUsers
    if (name === 'teams') return this.#backup.holds('jsonl', name) || this.#backup.holds('csv', name)
    return this.tables.some(({ table, format }) => {
      if (format === 'jsonl') return table === name || tablesWithin(table).includes(name)
      const written: readonly string[] = CSV_LISTS[table]
      return format === 'csv' && (table === name || written.includes(name))
    })
  }

  /** The streams whose records the backup holds. */
  get streams(): ReadonlySet<StreamName> {
    const held = new Set<StreamName>()
    for (const { table, format } of this.tables) {
      if (format === null) continue
      for (const stream of tableByName(table).streams) held.add(stream)
      if (table === 'tasks') held.add('task_comments')
    }
    return held
  }

  /**
   * The records of a project, table by table.
   * @throws DamagedBagError if a file differs from the manifest, or has another number of records
   */
  async *of(project: BackupProject): AsyncGenerator<BackupBatch, void, undefined> {
    for (const source of this.tables) {
      if (source.format === null) continue
      let lines: RecordLine[] = []
      let count = 0
      for await (const line of this.#linesOf(source, project)) {
        count += 1
        lines.push(line)
        if (lines.length < LINES_AT_ONCE) continue
        yield* batchesOf(lines, source)
        lines = []
      }
      yield* batchesOf(lines, source)
      this.#expect(project, source, count)
    }
  }

  /** The users, each with all values; none if the backup has no list of them. */
  async users(): Promise<StreamBatch> {
    const lines = await this.#unowned('users', USERS_FILE)
    return batchOf(
      'user',
      lines.map((line) => recordIn(Profile, line)),
    )
  }

  async teams(): Promise<StreamBatch> {
    const lines = await this.#unowned('teams', TEAMS_FILE)
    return batchOf(
      'team',
      lines.map((line) => recordIn(Team, line)),
    )
  }

  async #unowned(table: 'users' | 'teams', name: string): Promise<Line[]> {
    const found: Line[] = []
    const path = await this.#backup.unownedFile(name)
    if (path !== null) for await (const line of linesOf(path)) found.push(parseExactJson(line) as Line)
    else if (this.#backup.holds('csv', table))
      for await (const record of this.#backup.records(table, { format: 'csv' }))
        found.push(NO_OTHERS.record(table === 'users' ? 'user' : 'team', record))
    return found
  }

  async *#linesOf({ table, format }: TableSource, project: BackupProject): AsyncGenerator<RecordLine, void, undefined> {
    if (format === 'jsonl') return yield* this.#backup.linesOf(table, project)
    const lines = this.#lines.get(table) ?? new Peeked(this.#backup.lines(table, { format: format ?? undefined }))
    this.#lines.set(table, lines)
    for (;;) {
      const line = await lines.head()
      if (line?.pid !== project.pid) return
      lines.take()
      yield line
    }
  }

  /** A file that is shorter than the manifest says was not listed, and so not checked; its rows must not count as deleted. */
  #expect({ pid, counts, jsonl }: BackupProject, { table, format }: TableSource, count: number): void {
    const names = JSONL_FILES[table].map(({ name }) => name)
    const ofFiles = names.flatMap((name) => jsonl?.counts?.[name] ?? [])
    const stated = format === 'jsonl' && ofFiles.length > 0 ? ofFiles.reduce((sum, of) => sum + of, 0) : counts?.[table]
    if (stated === undefined || stated === count) return
    const detail = `it states ${stated} ${table} of project ${pid}, and the backup has ${count}`
    throw new DamagedBagError(this.#backup.path, { kind: 'malformed', path: BACKUP_MANIFEST, detail })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const lines of this.#lines.values()) await lines[Symbol.asyncDispose]()
  }
}

/** Of task groups that tasks name alone, JSON lines have no record: the tasks name them. */
function formatOf(backup: BackupReader, table: ProjectTable): RecordFormat | null {
  if (table === 'entries' && backup.holds('jsonl', 'tasks')) return 'jsonl'
  return backup.formatOf(table)
}

export function lackingIn(format: RecordFormat, table: ProjectTable): readonly string[] {
  const fields = [...new Set(JSONL_FILES[table].flatMap(({ resource }) => Object.keys(resource.properties)))]
  if (format === 'markdown') {
    const held = IN_MARKDOWN[table] ?? []
    return [
      ...fields.filter((name) => !held.includes(name)),
      ...(JSONL_FILES[table].some(({ comments }) => comments) ? ['comments'] : []),
    ]
  }
  if (format === 'jsonl') return []
  const written: readonly string[] = CSV_LISTS[table]
  const lists = listsOf(tableByName(table)).filter(({ name }) => !written.includes(name))
  return lists.map(({ list }) => list?.field ?? 'comments')
}

/** The batches of lines of one table: their records, then the comments on them. */
function* batchesOf(lines: readonly RecordLine[], source: TableSource): Generator<BackupBatch, void, undefined> {
  for (const file of JSONL_FILES[source.table]) {
    const own = lines.filter(({ kind }) => kind === file.kind)
    if (own.length === 0) continue
    const losses: ConversionIssue[] = []
    const records = own.map((line) => recordOf(line, file, source, losses))
    yield { stream: streamOf(file.kind), batch: batchOf(file.kind, records, losses) }
    if (file.comments === undefined) continue
    const { kind, id } = file.comments
    const key = (line: RecordLine) => String(line.record[id])
    const comments = own.flatMap((line) =>
      commentsIn(line.line, id).map((comment) => ({ [id]: line.record[id], comment: recordIn(Comment, comment) })),
    )
    const areLacking = source.lacks.includes('comments')
    const unread = areLacking ? own.map((line) => leftOut(key(line), 'comments')) : []
    if (comments.length + unread.length > 0) yield { stream: streamOf(kind), batch: batchOf(kind, comments, unread) }
  }
}

/** The record of a line; what the format lacks of it is added to `losses`. */
function recordOf(
  { record, kind }: RecordLine,
  { resource }: JsonlFile,
  { format, lacks }: TableSource,
  losses: ConversionIssue[],
): unknown {
  if (lacks.length === 0) return kind === 'project' ? projectIn(record) : recordIn(resource, record)
  const held = Object.fromEntries(Object.entries(record).filter(([name, value]) => isHeld(name, value, format, lacks)))
  const found: ConversionIssue[] = []
  const read = readerOf(resource).read(held, found)
  losses.push(
    ...found.filter((issue) => issue.kind === 'left_out' && (isText(issue.field) || lacks.includes(issue.field))),
  )
  if (kind !== 'project') return read
  return format === 'markdown' ? { pid: record['pid'], listed: null, detail: read } : { ...projectIn(held) }
}

/** Markdown has the content or the summary, and nothing in place of the other. */
function isHeld(name: string, value: unknown, format: RecordFormat | null, lacks: readonly string[]): boolean {
  return !lacks.includes(name) && !(format === 'markdown' && isText(name) && value === null)
}

function isText(field: string): boolean {
  return TEXT_COLUMNS.includes(field)
}

function leftOut(recordKey: string, field: string): ConversionIssue {
  return { recordKey, field, kind: 'left_out', original: null }
}

const STREAMS_OF_KINDS: Partial<Record<StreamBatch['kind'], StreamName>> = {
  project: 'projects',
  member: 'members',
  entry: 'entries',
  task: 'tasks',
  archived_task: 'archived_tasks',
  task_comment: 'task_comments',
  page: 'pages',
  post: 'posts',
  post_comment: 'posts',
  event: 'events',
  file: 'files',
  file_comment: 'files',
  webhook: 'webhooks',
}

function streamOf(kind: StreamBatch['kind']): StreamName {
  const stream = STREAMS_OF_KINDS[kind]
  if (stream === undefined) throw new TypeError(`records of kind ${kind} have no stream`)
  return stream
}
