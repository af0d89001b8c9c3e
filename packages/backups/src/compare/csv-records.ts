import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { type Cell, csvFormOf, csvRows } from '../csv-table.ts'
import type { OpenedBackup } from '../opened-backup.ts'
import { byProject, type FormPair, type RecordFilter } from './form.ts'
import { Peeked } from './order.ts'
import type { Comments, DiffRecord, RecordKind } from './record.ts'

const TABLES = { page: ['pages'], post: ['posts', 'post_comments'] } as const

type Table = (typeof TABLES)[RecordKind][number]

/** Columns with their own property in a record. */
const KEY_COLUMNS: readonly string[] = ['pid', 'page_id', 'post_id', 'name', 'parent_id', 'content']

/** Columns that identify the post of a comment; a moved post takes its comments along. */
const POST_COLUMNS: readonly string[] = ['pid', 'post_id']

/**
 * Reads two backups from their CSV. Kinds of records with identical files are skipped. Only columns that both backups have are
 * compared, so that a column added by a newer version does not change every record.
 */
export async function pairCsv(a: OpenedBackup, b: OpenedBackup): Promise<FormPair> {
  const kinds: RecordKind[] = []
  for (const kind of ['page', 'post'] as const) if (!(await areSame(a, b, TABLES[kind]))) kinds.push(kind)
  const tables = kinds.flatMap((kind): readonly Table[] => TABLES[kind])
  const columns = async () => {
    const common = new Map<Table, ReadonlySet<string>>()
    for (const table of tables) {
      const theirs = new Set(await headerOf(b, table))
      common.set(table, new Set((await headerOf(a, table)).filter((column) => theirs.has(column))))
    }
    return common
  }
  return {
    form: 'csv',
    filesOf: (backup) => namedTables(backup, tables),
    async *records(backup, filter) {
      const common = await columns()
      const pages = kinds.includes('page') ? pageRecords(backup, common, filter) : none()
      const posts = kinds.includes('post') ? postRecords(backup, common, filter) : none()
      yield* byProject(pages, posts)
    },
  }
}

async function* none(): AsyncGenerator<DiffRecord, void, undefined> {}

async function areSame(a: OpenedBackup, b: OpenedBackup, tables: readonly Table[]): Promise<boolean> {
  const formOf = ({ manifest }: OpenedBackup) => JSON.stringify(csvFormOf(manifest.csv))
  if (formOf(a) !== formOf(b)) return false
  for (const table of tables) {
    const [one, other] = await Promise.all([a.file(pathOf(table)), b.file(pathOf(table))])
    if (one?.sha256 !== other?.sha256) return false
  }
  return true
}

async function namedTables(backup: OpenedBackup, tables: readonly Table[]) {
  const files = []
  for await (const file of backup.files('csv/')) {
    if (tables.some((table) => file.path.endsWith(`/${pathOf(table)}`))) files.push(file)
  }
  return files
}

async function headerOf(backup: OpenedBackup, table: Table): Promise<readonly string[]> {
  for await (const row of rowsOf(backup, table)) return row.map((cell) => cell ?? '')
  return []
}

function rowsOf(backup: OpenedBackup, table: Table): AsyncGenerator<Cell[], void, undefined> {
  return csvRows(join(backup.path, 'data', pathOf(table)), csvFormOf(backup.manifest.csv))
}

function pathOf(table: Table): string {
  return `csv/${table}.csv`
}

type Row = ReadonlyMap<string, Cell>

/** The rows of a table that pass the filter, by column. */
async function* namedRows(
  backup: OpenedBackup,
  table: Table,
  common: ReadonlyMap<Table, ReadonlySet<string>>,
  filter: RecordFilter,
): AsyncGenerator<Row, void, undefined> {
  const kind = table === 'pages' ? 'page' : 'post'
  let header: readonly (readonly [column: string, index: number])[] | undefined
  const wanted = common.get(table)
  for await (const cells of rowsOf(backup, table)) {
    if (header === undefined) {
      header = cells.map((cell, index) => [cell ?? '', index] as const).filter(([column]) => wanted?.has(column))
      continue
    }
    const row = new Map(header.map(([column, index]) => [column, cells[index] ?? null]))
    if (filter(row.get('pid') ?? '', kind)) yield row
  }
}

async function* pageRecords(
  backup: OpenedBackup,
  common: ReadonlyMap<Table, ReadonlySet<string>>,
  filter: RecordFilter,
): AsyncGenerator<DiffRecord, void, undefined> {
  for await (const row of namedRows(backup, 'pages', common, filter)) yield recordOf('page', row, null)
}

async function* postRecords(
  backup: OpenedBackup,
  common: ReadonlyMap<Table, ReadonlySet<string>>,
  filter: RecordFilter,
): AsyncGenerator<DiffRecord, void, undefined> {
  await using comments = new Peeked(namedRows(backup, 'post_comments', common, filter))
  for await (const row of namedRows(backup, 'posts', common, filter)) {
    yield recordOf('post', row, await commentsOf(row, comments))
  }
}

function recordOf(kind: RecordKind, row: Row, comments: Comments | null): DiffRecord {
  return {
    kind,
    pid: row.get('pid') ?? '',
    id: row.get(`${kind}_id`) ?? '',
    title: row.get('name') ?? null,
    parentId: row.get('parent_id') ?? null,
    content: row.get('content') ?? null,
    comments,
    fields: Object.fromEntries([...row].filter(([column]) => !KEY_COLUMNS.includes(column))),
  }
}

/** Both tables are in the order of post ids, so a post's comments are the next ones. */
async function commentsOf(post: Row, comments: Peeked<Row>): Promise<Comments> {
  const hash = createHash('sha256')
  let count = 0
  for (;;) {
    const comment = await comments.head()
    const order = comment === null ? 1 : compareKeys(comment, post)
    if (comment === null || order > 0) return { count, digest: hash.digest('hex') }
    comments.take()
    if (order < 0) continue
    count += 1
    hash.update(JSON.stringify([...comment].filter(([column]) => !POST_COLUMNS.includes(column))))
  }
}

function compareKeys(a: Row, b: Row): number {
  const key = (row: Row, column: string) => row.get(column) ?? ''
  return compareBytes(key(a, 'pid'), key(b, 'pid')) || compareBytes(key(a, 'post_id'), key(b, 'post_id'))
}
