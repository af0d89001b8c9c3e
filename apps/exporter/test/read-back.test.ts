import { hash } from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupReader, csvRows, csvStyleOf, type RecordFormat, type RecordTable } from '@collab-etl/backups/read'
import { canonicalJson } from '@collab-etl/contract/exact-json'
import type { Row } from '@collab-etl/contract/source'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { TABLES, type TableName, tableByName } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type AnyRows, anyRows } from './any-rows.ts'
import { OPTIONS, writeBag } from './backup-in.ts'
import { handMadeSource } from './rows.ts'

const RECEIVED = ['projects', 'tasks', 'pages', 'posts', 'events', 'files'] as const satisfies RecordTable[]
const RECORDS = [...RECEIVED, 'project_members', 'teams'] as const satisfies RecordTable[]

/** What each format does not hold of the records that it has. */
const LACKS: Readonly<
  Record<RecordFormat, { readonly tables: readonly RecordTable[]; readonly lists: readonly TableName[] }>
> = {
  jsonl: { tables: [], lists: [] },
  csv: {
    tables: [],
    lists: ['project_labels', 'page_watchers', 'post_watchers', 'file_watchers', 'task_watchers', 'file_comments'],
  },
  markdown: {
    tables: ['projects', 'events', 'files', 'project_members', 'teams'],
    lists: ['post_comments', 'task_comments', 'comment_files'],
  },
}

/** The columns of users and groups are in every record that names them; of other rows these are left. */
const MARKDOWN_COLUMNS = [
  'pid',
  'page_id',
  'post_id',
  'parent_id',
  'name',
  'content',
  'summary',
  'created_at',
  'updated_at',
  'owner_uid',
  'tid',
  'entry_id',
  'description',
  'position',
  'completed',
  'completed_at',
  'due_at',
  'archived',
]

test('records are read back from each format as they were written', { tags: 'thorough' }, async () => {
  const folder = await scratch()
  let count = 0
  await fc.assert(
    fc.asyncProperty(anyRows, async (rows) => {
      const bags = new Map<RecordFormat, BackupReader>()
      for (const format of ['jsonl', 'csv', 'markdown'] as const) {
        const bag = join(folder, `${count}-${format}`)
        await mkdir(bag)
        const csv = { ...OPTIONS.csv, bom: count % 2 === 0, delimiter: [',', '\t', ';', '|'][count % 4] ?? ',' }
        const titleHeading = count % 2 === 0 ? 'auto' : 'never'
        await writeBag(bag, handMadeSource({ tables: rows }), {
          formats: new Set([format]),
          csv,
          titleHeading,
          taskFiles: 'one',
        })
        if (format === 'csv') await checkCells(join(bag, 'data/csv'), csv.delimiter)
        bags.set(format, await BackupReader.open(bag))
      }
      count += 1
      for (const [format, backup] of bags) {
        for (const table of RECORDS.filter((name) => !LACKS[format].tables.includes(name))) {
          const read: unknown[] = []
          for await (const { row, lists } of backup.records(table)) {
            const own = [...lists].filter(([name]) => name !== 'users' && name !== 'entries')
            read.push({ row, lists: Object.fromEntries(own.map(([name, items]) => [name, inOrder(items)])) })
            if (format !== 'jsonl') continue
            // unknown fields of a member are of the membership
            const known =
              table === 'project_members' ? rows.users.map((user) => ({ ...user, extra: null })) : rows.users
            for (const user of lists.get('users') ?? []) expect(shown(known)).toContainEqual({ ...user, email: null })
            for (const group of lists.get('entries') ?? []) expect(shown(rows.entries)).toContainEqual(group)
          }
          expect(read, `${table} of ${format}`).toEqual(expected(rows, table, format))
          const isReceived = RECEIVED.some((received) => received === table)
          if (format !== 'markdown' && isReceived) await checkReceived(backup, format, table, rows[table])
        }
      }
    }),
    { numRuns: times(6, 80), endOnFailure: true },
  )
})

/** Users and task groups as other records show them: without what their own records have. */
function shown(rows: readonly Row[]): Row[] {
  return rows.map((row) => ({
    ...row,
    ...('uid' in row ? { email: null } : { position: null, created_at: null, updated_at: null }),
  }))
}

/** What a spreadsheet would run. It shows unassigned characters, but for those that Unicode reserves as ignorable. */
const FORMULA = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@＝＋－＠]|^[\t\r\n]/u

/** Expects that no cell of the CSV files of a backup begins a formula. */
async function checkCells(folder: string, delimiter: string): Promise<void> {
  for (const name of await readdir(folder)) {
    let header: readonly (string | null)[] = []
    for await (const cells of csvRows(join(folder, name), csvStyleOf({ delimiter, raw_cells: true }))) {
      if (header.length === 0) header = cells
      const texts = cells.filter((_, at) => header[at] !== 'position') // a number
      for (const text of texts) expect(text ?? '', name).not.toMatch(FORMULA)
    }
  }
}

/** Each record as it was sent, from its own line or row, which can be read again. */
async function checkReceived(
  backup: BackupReader,
  format: 'jsonl' | 'csv',
  table: RecordTable,
  rows: readonly Row[],
): Promise<void> {
  const { key } = tableByName(table)
  const found: unknown[] = []
  for (const project of backup.manifest.projects) {
    for await (const { place, ...received } of backup.received(table, project, format)) {
      const bytes = (await readFile(place.path)).subarray(place.offset, place.offset + place.length)
      expect([bytes.at(-1), hash('sha256', bytes)]).toEqual(['\n'.charCodeAt(0), place.sha256])
      expect(JSON.stringify(await backup.read(place))).toBe(JSON.stringify(received))
      const { archived, record } = received
      const { start, ...fields } = record
      found.push([archived, key.map((column) => (column === 'starts_at' ? start : (fields[column] ?? project.pid)))])
    }
  }
  const wanted = rows.map((row) => [row['archived'] === true && table === 'tasks', key.map((column) => row[column])])
  const texts = (keys: readonly unknown[]) => keys.map((key) => JSON.stringify(key)).sort()
  expect(texts(found)).toEqual(texts(wanted))
}

/** The records of a table with their lists, as far as a format has them. */
function expected(rows: AnyRows, table: RecordTable, format: RecordFormat) {
  const lists = listsOf(table).filter((name) => !LACKS[format].lists.includes(name))
  const isHeld = (name: TableName) => format !== 'csv' || table !== 'files' || name !== 'comment_files'
  return rows[table].map((row) => ({
    row: format === 'markdown' ? markdownRow(row) : row,
    lists: Object.fromEntries(
      lists.filter(isHeld).map((name) => {
        const own = rows[name].filter((item) => isOf(item, row, table))
        return [name, inOrder(format === 'markdown' ? own.map((item) => ({ ...item, extra: null })) : own)]
      }),
    ),
  }))
}

function listsOf(table: TableName): TableName[] {
  const own = TABLES.filter(({ parent }) => parent?.tables.includes(table)).map(({ name }) => name)
  return [...own, ...own.flatMap(listsOf)]
}

function isOf(item: Row, record: Row, table: RecordTable): boolean {
  const { key } = tableByName(table)
  if (!('parent_kind' in item)) return key.every((column) => item[column] === record[column])
  const isOfKind = `${item['parent_kind']}s` === table
  return isOfKind && item['pid'] === record['pid'] && item['parent_id'] === record[key[1] ?? '']
}

function markdownRow(row: Row): Row {
  const { name, content, summary } = row
  const isSummary = content === null && summary !== null
  const own = Object.entries(row).filter(([column]) => MARKDOWN_COLUMNS.includes(column))
  if ('tid' in row)
    return { ...Object.fromEntries(own), name: name ?? '', description: row['description'] ?? '', extra: null }
  return {
    ...Object.fromEntries(own),
    name: name ?? '',
    extra: null,
    ...(isSummary ? {} : { summary: null, content: content ?? '' }),
  }
}

function inOrder(rows: readonly Row[]): readonly Row[] {
  const texts = new Map(rows.map((row) => [row, canonicalJson(row)]))
  return rows.toSorted((a, b) => (String(texts.get(a)) < String(texts.get(b)) ? -1 : 1))
}
