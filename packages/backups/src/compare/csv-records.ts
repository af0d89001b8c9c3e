import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { type DifferingFiles, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { type DifferingParts, type DifferingTables, haveRows } from '../csv-parts.ts'
import type { BackupReader as OpenedBackup } from '../read/backup-reader.ts'
import {
  type Cell,
  type CsvSelection,
  csvFormOf,
  csvHeader,
  csvRows,
  differingRows,
  type RowSelection,
} from '../read/csv-rows.ts'
import { merged, Peeked } from '../read/ordered.ts'
import { foldEvents } from './events.ts'
import type { FormPair, RecordFilter } from './form.ts'
import { type Comments, type DiffRecord, placingOf, type RecordKind } from './record.ts'

/** The CSV files of a kind of records. */
interface Tables {
  readonly table: string
  /** Columns that become the id, parent and content of a record. */
  readonly id: string
  readonly parent?: string
  readonly content?: string
  /** Files of lists by the field that they become. */
  readonly lists: Readonly<Record<string, string>>
}

const TABLES: Readonly<Record<RecordKind, Tables>> = {
  page: { table: 'pages', id: 'page_id', parent: 'parent_id', content: 'content', lists: {} },
  post: { table: 'posts', id: 'post_id', content: 'content', lists: { comments: 'post_comments' } },
  task: {
    ...{ table: 'tasks', id: 'tid', parent: 'entry_id', content: 'description' },
    lists: { labels: 'task_labels', todos: 'task_todos', members: 'task_members' },
  },
  event: { table: 'events', id: 'event_id', lists: { attendees: 'event_attendees' } },
  file: { table: 'files', id: 'fid', parent: 'folder_id', lists: {} },
}

function tablesOf(kind: RecordKind): readonly string[] {
  return [TABLES[kind].table, ...Object.values(TABLES[kind].lists)]
}

/** The columns of each table that both backups have. */
type Columns = ReadonlyMap<string, ReadonlySet<string>>

/**
 * Reads two backups from their CSV. Kinds of records with identical files are skipped, and so are records whose rows are the same in both, byte for
 * byte. Only columns that both backups have are compared, so that a column added by a newer version does not change every record.
 * @param differing the files that only one of the backups has
 * @param common kinds that both backups have as CSV
 * @param known what a writer knows of the files; `null`: they are checked and compared
 */
export function pairCsv(
  both: readonly [OpenedBackup, OpenedBackup],
  differing: () => DifferingFiles,
  common: readonly RecordKind[],
  known: DifferingTables | null,
): FormPair {
  const [a, b] = both
  const isKnown = known !== null && common.flatMap(tablesOf).every((table) => known.has(table))
  const { kinds, filesOf, selections } = isKnown ? inParts(a, common, known) : inFiles(both, common, differing())
  const tables = kinds.flatMap(tablesOf)
  const columns = async () => {
    const found = new Map<string, ReadonlySet<string>>()
    for (const table of tables) {
      const theirs = new Set(await headerOf(b, table))
      found.set(table, new Set((await headerOf(a, table)).filter((column) => theirs.has(column))))
    }
    return found
  }
  let selecting: Promise<Selections> | undefined
  return {
    form: 'csv',
    filesOf,
    async *records(backup, filter) {
      const columnsOfBoth = await columns()
      selecting ??= selections()
      const selected = await selecting
      const records = kinds.map((kind) => {
        const selection = (table: string) => selected(backup, kind, table)
        return recordsOf(kind, { backup, columns: columnsOfBoth, selection, filter })
      })
      yield* merged(records, (one, other) => compareBytes(one.pid, other.pid))
    },
  }
}

/** Which rows are read; `null`: all. */
type Selections = (backup: OpenedBackup, kind: RecordKind, table: string) => CsvSelection | null

/** What has to be read of two backups. */
interface Differences {
  readonly kinds: readonly RecordKind[]
  /** The files to check. */
  readonly filesOf: FormPair['filesOf']
  readonly selections: () => Promise<Selections>
}

function inParts(a: OpenedBackup, common: readonly RecordKind[], known: DifferingTables): Differences {
  const partsOf = (table: string) => known.get(table) ?? NO_PARTS
  return {
    kinds: common.filter((kind) => tablesOf(kind).some((table) => haveRows(partsOf(table)))),
    filesOf: async () => [],
    selections: async () => (backup, _kind, table) => ({ parts: partsOf(table)[backup === a ? 'before' : 'after'] }),
  }
}

const NO_PARTS: DifferingParts = { before: [], after: [] }

function inFiles(
  [a, b]: readonly [OpenedBackup, OpenedBackup],
  common: readonly RecordKind[],
  { before, after }: DifferingFiles,
): Differences {
  const changed = new Set([...before, ...after].map(({ path }) => path))
  const haveOneForm = formOf(a) === formOf(b)
  const kinds = common.filter((kind) => !haveOneForm || tablesOf(kind).some((table) => changed.has(payloadPath(table))))
  const tables = kinds.flatMap(tablesOf)
  return {
    kinds,
    filesOf: (backup) => namedTables(backup, tables),
    selections: async () => {
      const selected = new Map<RecordKind, CsvSelection | null>()
      for (const kind of kinds) {
        const records = haveOneForm ? await differingRecords(a, b, kind, changed) : null
        selected.set(kind, records && { records })
      }
      return (_backup, kind) => selected.get(kind) ?? null
    },
  }
}

/** The records of a kind of which any row differs; `null` if the tables of the backups have different columns. */
async function differingRecords(
  a: OpenedBackup,
  b: OpenedBackup,
  kind: RecordKind,
  changed: ReadonlySet<string>,
): Promise<RowSelection | null> {
  const all = new Set<string>()
  for (const table of tablesOf(kind).filter((name) => changed.has(payloadPath(name)))) {
    const rows = await differingRows(fileOf(a, table), fileOf(b, table), csvFormOf(a.manifest.csv))
    if (rows === null) return null
    for (const row of rows) all.add(row)
  }
  return all
}

function formOf({ manifest }: OpenedBackup): string {
  return JSON.stringify(csvFormOf(manifest.csv))
}

async function namedTables(backup: OpenedBackup, tables: readonly string[]) {
  const files = await backup.filesIn('csv/')
  return files.filter(({ path }) => tables.some((table) => path === payloadPath(table)))
}

async function headerOf(backup: OpenedBackup, table: string): Promise<readonly string[]> {
  return await csvHeader(fileOf(backup, table), csvFormOf(backup.manifest.csv))
}

function cellsOf(
  backup: OpenedBackup,
  table: string,
  selection: CsvSelection | null,
): AsyncGenerator<Cell[], void, undefined> {
  return csvRows(fileOf(backup, table), csvFormOf(backup.manifest.csv), selection)
}

function fileOf({ path }: OpenedBackup, table: string): string {
  return join(path, payloadPath(table))
}

function payloadPath(table: string): string {
  return `${PAYLOAD_FOLDER}/csv/${table}.csv`
}

/** Which rows of which backup are read. */
interface Reading {
  readonly backup: OpenedBackup
  readonly columns: Columns
  readonly selection: (table: string) => CsvSelection | null
}

type Row = ReadonlyMap<string, Cell>

/** The rows of a table whose project passes the filter, by column. */
async function* namedRows(
  { backup, columns, selection }: Reading,
  table: string,
  isWanted: (pid: string) => boolean,
): AsyncGenerator<Row, void, undefined> {
  let header: readonly (readonly [column: string, index: number])[] | undefined
  const wanted = columns.get(table)
  for await (const cells of cellsOf(backup, table, selection(table))) {
    if (header === undefined) {
      header = cells.map((cell, index) => [cell ?? '', index] as const).filter(([column]) => wanted?.has(column))
      continue
    }
    const row = new Map(header.map(([column, index]) => [column, cells[index] ?? null]))
    if (isWanted(row.get('pid') ?? '')) yield row
  }
}

function recordsOf(
  kind: RecordKind,
  { filter, ...reading }: Reading & { readonly filter: RecordFilter },
): AsyncGenerator<DiffRecord, void, undefined> {
  const records = rowsWithLists(kind, reading, (pid) => filter(pid, kind))
  return kind === 'event' ? foldEvents(records) : records
}

/** A record for each row. Tables of lists are in the order of the same ids, so the items of a record are the next ones. */
async function* rowsWithLists(
  kind: RecordKind,
  reading: Reading,
  isWanted: (pid: string) => boolean,
): AsyncGenerator<DiffRecord, void, undefined> {
  const { table, id, lists } = TABLES[kind]
  const items = Object.entries(lists).map(
    ([field, list]) => [field, new Peeked(namedRows(reading, list, isWanted))] as const,
  )
  // Occurrences of an event have the same id, and each its own items.
  const key = kind === 'event' ? ['pid', id, 'starts_at'] : ['pid', id]
  try {
    for await (const row of namedRows(reading, table, isWanted)) {
      const found = new Map<string, readonly string[]>()
      for (const [field, rows] of items) found.set(field, await itemsOf(row, rows, key))
      yield recordOf(kind, row, found)
    }
  } finally {
    for (const [, rows] of items) await rows[Symbol.asyncDispose]()
  }
}

function recordOf(kind: RecordKind, row: Row, lists: ReadonlyMap<string, readonly string[]>): DiffRecord {
  const { id, parent = '', content = '' } = TABLES[kind]
  const comments = lists.get('comments')
  const known = ['pid', id, 'name', parent, content]
  const others = [...lists].filter(([field]) => field !== 'comments').map(([field, items]) => [field, textOf(items)])
  return {
    kind,
    pid: row.get('pid') ?? '',
    id: row.get(id) ?? '',
    title: row.get('name') ?? null,
    parentId: row.get(parent) ?? null,
    content: row.get(content) ?? null,
    comments: comments === undefined ? null : digestOf(comments),
    fields: {
      ...Object.fromEntries([...row].filter(([column]) => !known.includes(column))),
      ...Object.fromEntries(others),
    },
    placing: placingOf(kind, (column) => row.get(column) ?? null),
  }
}

function textOf(items: readonly string[]): string {
  return `[${items.join(',')}]`
}

function digestOf(items: readonly string[]): Comments {
  const hash = createHash('sha256')
  for (const item of items) hash.update(item)
  return { count: items.length, digest: hash.digest('hex') }
}

/** The items of a record, without the columns that name it: a post that moved takes its comments along. */
async function itemsOf(record: Row, items: Peeked<Row>, key: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (;;) {
    const item = await items.head()
    const order = item === null ? 1 : compareKeys(item, record, key)
    if (item === null || order > 0) return found
    items.take()
    if (order === 0) found.push(JSON.stringify([...item].filter(([column]) => !key.includes(column))))
  }
}

function compareKeys(a: Row, b: Row, key: readonly string[]): number {
  return key.reduce((order, column) => order || compareBytes(a.get(column) ?? '', b.get(column) ?? ''), 0)
}
