import { columnList, literal, quoted } from '../names.ts'
import { ownListsOf } from './index.ts'
import type { LogColumn, LogTable } from './run-log.ts'
import type { Definition } from './schema.ts'
import { allColumns, type Column, type Index, LIVE, RECORD_HASH, type Table } from './table.ts'
import type { Upgrade } from './upgrades.ts'

const VALID_TO: Column = {
  name: 'valid_to',
  type: 'timestamptz',
  comment: 'start of the run that first saw it changed or gone; the version held until just before',
}

/** Columns of the table alone, which versions in its history do not have. */
const OF_THE_TABLE: ReadonlySet<string> = new Set(['deleted_at', RECORD_HASH.name])

/** The columns of a resource table in the order in which it has them: those of upgrades come last, in new warehouses as in others. */
function columnsOf(table: Table, { upgrades }: Definition): readonly Column[] {
  const added = upgrades.flatMap(({ adds }) => adds?.[table.name] ?? [])
  const place = ({ name }: Column) => added.indexOf(name)
  return allColumns(table).toSorted((a, b) => place(a) - place(b))
}

/** The columns of versions of its rows; `valid_to` comes before those of upgrades. */
function versionColumnsOf(table: Table, definition: Definition): readonly Column[] {
  const added = new Set(definition.upgrades.flatMap(({ adds }) => adds?.[table.name] ?? []))
  const columns = columnsOf(table, definition).filter(({ name }) => !OF_THE_TABLE.has(name))
  const first = columns.filter(({ name }) => !added.has(name))
  return [...first, VALID_TO, ...columns.slice(first.length)]
}

export interface PlacedTable extends LogTable {
  readonly place: 'collab' | 'collab_history'
}

/** The statements that make all tables of a new warehouse, without comments. */
export function createTables(definition: Definition): string[] {
  return placedTables(definition).flatMap(createTable)
}

/** The same without keys and indexes, which are added once the rows are there: that costs less. */
export const createBareTables = (definition: Definition): string[] =>
  placedTables(definition).map((table) => bareTable(table))

/** The statements that add what `createBareTables` leaves out. */
export const addKeys = (definition: Definition): string[] =>
  placedTables(definition).flatMap((table) => [
    `ALTER TABLE ${table.place}.${table.name} ADD PRIMARY KEY (${columnList(table.key)})`,
    ...createIndexes(table),
  ])

/** The statements that comment all tables and their columns. */
export function commentTables(definition: Definition): string[] {
  return placedTables(definition).flatMap(({ place, name, comment, columns }) =>
    comments('TABLE', `${place}.${name}`, comment, columns),
  )
}

/** All tables of a warehouse with their columns. */
export function placedTables(definition: Definition): readonly PlacedTable[] {
  return [
    ...definition.tables.flatMap((table) => resourceTables(table, definition)),
    ...definition.logTables.map((table): PlacedTable => ({ ...table, place: 'collab' })),
  ]
}

function resourceTables(table: Table, definition: Definition): readonly PlacedTable[] {
  const { name, key } = table
  const required = new Set([...key, 'valid_from', 'valid_to'])
  const withNulls = (columns: readonly Column[]) =>
    columns.map((column) => ({ ...column, notNull: required.has(column.name) }))
  // for changes: what a run wrote, and what it replaced; a version that begins as another ends is found by either
  const from: Index = { name: `${name}_valid_from`, columns: ['valid_from'] }
  const indexes: readonly Index[] = [{ ...from, where: LIVE }, ...(table.indexes ?? [])]
  return [
    { ...table, place: 'collab', indexes, columns: withNulls(columnsOf(table, definition)) },
    {
      place: 'collab_history',
      name,
      key: [...key, 'valid_from'],
      comment: `Versions of ${name} that were superseded or deleted`,
      columns: withNulls(versionColumnsOf(table, definition)),
      indexes: [from, { name: `${name}_valid_to`, columns: ['valid_to'] }],
    },
  ]
}

function createTable(table: PlacedTable): string[] {
  return [bareTable(table, [`PRIMARY KEY (${columnList(table.key)})`]), ...createIndexes(table)]
}

function bareTable({ place, name, columns }: PlacedTable, constraints: readonly string[] = []): string {
  return `CREATE TABLE ${place}.${name} (\n  ${[...columns.map(columnSql), ...constraints].join(',\n  ')}\n)`
}

function createIndexes({ place, name, indexes = [] }: PlacedTable): string[] {
  return indexes.map(
    ({ name: index, columns, where }) =>
      `CREATE INDEX ${index} ON ${place}.${name} (${columnList(columns)})${where === undefined ? '' : ` WHERE ${where}`}`,
  )
}

function columnSql({ name, type, collateC, notNull, standard, oneOf }: LogColumn): string {
  const collation = collateC === true ? ' COLLATE "C"' : ''
  const without = notNull ? ' NOT NULL' : ''
  const byDefault = standard === undefined ? '' : ` DEFAULT ${standard}`
  const check = oneOf === undefined ? '' : ` CHECK (${quoted(name)} IN (${oneOf.map(literal).join(', ')}))`
  return `${quoted(name)} ${type}${collation}${without}${byDefault}${check}`
}

function comments(kind: 'TABLE' | 'VIEW', object: string, comment: string, columns: readonly Column[]): string[] {
  return [
    `COMMENT ON ${kind} ${object} IS ${literal(comment)}`,
    ...columns.map(({ name, comment: text }) => `COMMENT ON COLUMN ${object}.${quoted(name)} IS ${literal(text)}`),
  ]
}

/** The statements that make of the tables of one version those of the next. */
export function upgradeTables(upgrade: Upgrade, definition: Definition): string[] {
  const { creates = [], adds = {}, alters = {}, statements = [] } = upgrade
  const { tables, logTables, upgrades } = definition
  const later = upgrades.slice(upgrades.indexOf(upgrade) + 1)
  const created = placedTables(definition)
    .filter(({ name }) => creates.includes(name))
    .map((table) => {
      const added = later.flatMap((of) => of.adds?.[table.name] ?? [])
      return { ...table, columns: table.columns.filter(({ name }) => !added.includes(name)) }
    })
  const placesOf = (name: string) =>
    tables.some((table) => table.name === name) ? [`collab.${name}`, `collab_history.${name}`] : [`collab.${name}`]
  const added = Object.entries(adds).flatMap(([name, columns]) =>
    columns.flatMap((column) => addColumn(placesOf(name), columnNamed([...tables, ...logTables], name, column))),
  )
  const altered = Object.entries(alters).flatMap(([name, actions]) =>
    actions.flatMap((action) => placesOf(name).map((table) => `ALTER TABLE ${table} ${action}`)),
  )
  const changed = new Set([...Object.keys(adds), ...Object.keys(alters)])
  return [
    ...created.flatMap(createTable),
    ...added,
    ...altered,
    ...tables.filter((table) => isHashOf(table, changed)).map(forgetHashes),
    ...statements,
  ]
}

/** Whether the table's record hashes are also of rows of one of those tables. */
function isHashOf({ name, hashed }: Table, changed: ReadonlySet<string>): boolean {
  if (hashed !== true) return false
  return changed.has(name) || ownListsOf({ name }).some((list) => changed.has(list.name))
}

/** Those of other columns would be reported as wrong by a comparison; the next run makes them anew. */
const forgetHashes = ({ name }: Table) =>
  `UPDATE collab.${name} SET ${RECORD_HASH.name} = NULL WHERE ${RECORD_HASH.name} IS NOT NULL`

function columnNamed(tables: readonly (Table | LogTable)[], table: string, name: string): LogColumn {
  const found = tables.find((candidate) => candidate.name === table)
  const columns: readonly Column[] = found === undefined ? [] : 'deletedBy' in found ? allColumns(found) : found.columns
  const column = columns.find((candidate) => candidate.name === name)
  if (column === undefined) throw new TypeError(`an upgrade adds the column ${table}.${name}, and no table has it`)
  const named: LogColumn = { notNull: false, ...column }
  if (named.notNull && named.standard === undefined)
    throw new TypeError(
      `an upgrade adds the column ${table}.${name} without a default, but stored rows need a value: give it a default`,
    )
  return named
}

const addColumn = (tables: readonly string[], column: LogColumn) =>
  tables.map((table) => `ALTER TABLE ${table} ADD COLUMN ${columnSql(column)}`)

/** Resource tables whose versions, those of the present and of the past, are one view. */
const WITH_VERSIONS: ReadonlySet<string> = new Set(['projects', 'tasks', 'pages', 'posts'])

/** The statements that make the as-of functions and views of the resource tables, or replace them. */
export function createTableReaders(definition: Definition): string[] {
  return definition.tables.flatMap((table) => {
    const versions = versionColumnsOf(table, definition)
    return [
      ...asOfFunction(table.name, versions),
      ...liveView(table.name, versions),
      ...(WITH_VERSIONS.has(table.name) ? versionsView(table.name, versions) : []),
    ]
  })
}

/** In plain SQL and without settings of its own, so that a query around it is planned as if the text stood there. */
function asOfFunction(name: string, versions: readonly Column[]): string[] {
  const kept = versions.filter((column) => column !== VALID_TO)
  const own = columnList(kept.map((column) => column.name))
  const types = kept.map((column) => `${quoted(column.name)} ${column.type}`)
  return [
    `CREATE OR REPLACE FUNCTION collab.${name}_as_of(moment timestamptz) RETURNS TABLE (${types.join(', ')}, deleted_at timestamptz)
LANGUAGE sql STABLE PARALLEL SAFE AS $$
  SELECT ${own}, NULL::timestamptz FROM collab.${name} WHERE valid_from <= $1 AND ${LIVE}
  UNION ALL
  SELECT ${own}, NULL::timestamptz FROM collab_history.${name} WHERE valid_from <= $1 AND $1 < valid_to
$$`,
    `COMMENT ON FUNCTION collab.${name}_as_of(timestamptz) IS ${literal(`Rows of ${name} as they stood at the end of the last run that began at or before that time`)}`,
  ]
}

/** Of our columns alone: others that a table has may be removed without it. */
function liveView(name: string, versions: readonly Column[]): string[] {
  const kept = versions.filter((column) => column !== VALID_TO)
  return [
    `CREATE OR REPLACE VIEW collab.live_${name} AS SELECT ${columnList(kept.map((column) => column.name))} FROM collab.${name} WHERE ${LIVE}`,
    ...comments('VIEW', `collab.live_${name}`, `Rows of ${name} that exist: deleted_at is null`, kept),
  ]
}

function versionsView(name: string, versions: readonly Column[]): string[] {
  const view = `collab.${name.slice(0, -1)}_versions`
  const present = versions.map((column) =>
    column === VALID_TO ? 'NULL::timestamptz AS valid_to' : quoted(column.name),
  )
  const shown = versions.map((column) =>
    column === VALID_TO
      ? { ...column, comment: 'start of the run that first saw it changed or gone; null while it holds' }
      : column,
  )
  return [
    `CREATE OR REPLACE VIEW ${view} AS
  SELECT ${present.join(', ')} FROM collab.${name} WHERE ${LIVE}
  UNION ALL
  SELECT ${columnList(versions.map((column) => column.name))} FROM collab_history.${name}`,
    ...comments(
      'VIEW',
      view,
      `Every version of ${name}: the one that holds now, and those that were superseded or deleted`,
      shown,
    ),
  ]
}
