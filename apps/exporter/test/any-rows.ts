import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { anyCharacter } from '@collab-etl/harness/any-character'
import { anyId as id, anyTitle as title } from '@collab-etl/harness/hostile-texts'
import { type Column, TABLES, type Table, type TableName, tableByName } from '@collab-etl/warehouse'
import fc from 'fast-check'
import type { SourceRow } from '../src/source/backup-rows.ts'

/** The rows of every table, in the order of their keys. */
export type AnyRows = Readonly<Record<TableName, readonly SourceRow[]>>

const USERS = ['u1', 'u2', 'Ü', ' ']

const GROUPS = ['e1', 'e2', 'É']

const isStorable = (text: string | null) => text === null || (text.isWellFormed() && !text.includes('\0'))

/** Cells that spreadsheets run, and that CSV has to quote. */
const HARD_CELLS = ['=1', '+1', '-', '@', '\t', "'=", ' =', '＝', '\u202e@', '\uFEFF=', '"', '\r\n', "'", ',;\t|']

/** Markdown that begins with a heading, or leaves something open. */
const HARD_TEXTS = [
  '# Own',
  '```js\ncode',
  '<!-- note',
  '\uFEFF<pre>\r\n',
  '<script>\n\nx',
  'a\n2. ~~~\n   ~~~',
  '- ```\n  a\n```',
]

const text = fc
  .oneof(title, fc.string({ unit: anyCharacter, maxLength: 40 }), fc.constantFrom(...HARD_CELLS, ...HARD_TEXTS))
  .filter(isStorable)

const time = fc
  .date({ min: new Date('1980-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString())

const extra = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  fc.dictionary(fc.constantFrom('x_new', 'x other', 'x,"3"'), fc.oneof(text, fc.integer(), fc.boolean()), {
    minKeys: 1,
    noNullPrototype: true,
  }),
)

/** Any value of a column that is no part of a key. */
function valueIn({ name, type }: Column): fc.Arbitrary<unknown> {
  if (name.endsWith('uid') || name === 'created_by') return fc.constantFrom(null, ...USERS)
  if (name === 'entry_id') return fc.constantFrom(null, ...GROUPS)
  if (name.endsWith('_id')) return fc.option(id)
  if (type === 'timestamptz') return fc.option(time)
  if (type === 'boolean') return fc.boolean()
  if (type === 'smallint') return fc.integer({ min: 0, max: 30_000 })
  if (type === 'integer') return fc.integer({ min: 0, max: 2 ** 31 - 1 })
  if (type === 'bigint') return fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }).map(String)
  if (type === 'double precision') return fc.integer({ min: -1e9, max: 1e9 }).map((number) => number / 64)
  return text
}

/** Rows of a table whose keys begin with these values. */
function rowsOf(table: Table, given: SourceRow, { minLength = 0, maxLength = 3 } = {}): fc.Arbitrary<SourceRow[]> {
  const own = table.columns.filter(({ name }) => !(name in given))
  const keyOf = ({ name, type }: Column) =>
    type === 'timestamptz' ? time : name === 'uid' ? fc.constantFrom(...USERS) : id
  const row = fc.record({
    ...Object.fromEntries(
      own.map((column) => [column.name, table.key.includes(column.name) ? keyOf(column) : valueIn(column)]),
    ),
    extra: table.name.endsWith('_watchers') || /_(?:members|attendees)$/.test(table.name) ? fc.constant(null) : extra,
  })
  const unique = {
    selector: (row: SourceRow) => JSON.stringify(table.key.map((name) => row[name])),
    minLength,
    maxLength,
  }
  return fc.uniqueArray(
    row.map((values) => settled(table, { ...given, ...values })),
    unique,
  )
}

/** The service has no positions in its list of archived tasks. */
function settled(table: Table, row: SourceRow): SourceRow {
  return table.name === 'tasks' && row['archived'] === true ? { ...row, position: null } : row
}

/** Rows with those of their children, by table. */
function withChildren(table: Table, rows: readonly SourceRow[]): fc.Arbitrary<(readonly [TableName, SourceRow])[]> {
  const children = TABLES.filter(({ name, parent }) => parent?.tables.includes(table.name) && name !== 'entries')
  const of = rows.flatMap((row) =>
    children.map((child) => {
      const { columns = {}, fixed = {} } = child.parent?.as?.[table.name] ?? {}
      const own = (child.parent?.on ?? []).filter((name) => !(name in fixed))
      const given = {
        pid: row['pid'],
        ...fixed,
        ...Object.fromEntries(own.map((name) => [name, row[columns[name] ?? name]])),
      }
      return rowsOf(child, given, { maxLength: 2 }).chain((found) => withChildren(child, found))
    }),
  )
  return fc.tuple(...of).map((found) => [...rows.map((row) => [table.name, row] as const), ...found.flat()])
}

const ONE = { minLength: 1, maxLength: 1 }

const RECORDS = ['tasks', 'pages', 'posts', 'events', 'files'] as const

/** Any rows of up to three projects: every column of every table, and every list. */
export const anyRows: fc.Arbitrary<AnyRows> = fc.uniqueArray(id, { minLength: 1, maxLength: 3 }).chain((pids) =>
  fc
    .tuple(
      ...pids.map((pid) =>
        rowsOf(tableByName('projects'), { pid }, ONE).chain((rows) => withChildren(tableByName('projects'), rows)),
      ),
      ...pids.flatMap((pid) =>
        RECORDS.map((name) =>
          rowsOf(tableByName(name), { pid }).chain((rows) => withChildren(tableByName(name), rows)),
        ),
      ),
      ...USERS.map((uid) =>
        rowsOf(tableByName('users'), { uid }, ONE).map((rows) => rows.map((row) => ['users', row] as const)),
      ),
      ...pids.map((pid) =>
        rowsOf(tableByName('project_members'), { pid }).map((rows) =>
          rows.map((row) => ['project_members', row] as const),
        ),
      ),
      rowsOf(tableByName('teams'), {}).map((rows) => rows.map((row) => ['teams', row] as const)),
      ...pids.flatMap((pid) =>
        GROUPS.map((entry_id) =>
          rowsOf(tableByName('entries'), { pid, entry_id }, ONE).map((rows) =>
            rows.map((row) => ['entries', { ...row, extra: null }] as const),
          ),
        ),
      ),
    )
    .map((found) => {
      const all = Map.groupBy(found.flat(), ([name]) => name)
      const sorted = TABLES.map(({ name, key }) => {
        const rows = (all.get(name) ?? []).map(([, row]) => row)
        return [name, rows.sort((a, b) => compareKeys(a, b, key))]
      })
      return Object.fromEntries(sorted) as AnyRows // every table is in TABLES
    }),
)

function compareKeys(a: SourceRow, b: SourceRow, key: readonly string[]): number {
  return key.reduce((order, column) => order || compareBytes(String(a[column]), String(b[column])), 0)
}
