import { TABLES } from '../../src/tables/index.ts'
import type { Table, TableName } from '../../src/tables/table.ts'

/** A row as plain values by column: times as ISO 8601 text, big numbers as numbers. */
export type PlainRow = Readonly<Record<string, unknown>>

/** The live rows of all tables, by their keys. */
export type State = ReadonlyMap<TableName, ReadonlyMap<string, PlainRow>>

const COLUMNS = new Map(
  TABLES.map((table) => [
    table.name,
    [...table.columns, { name: 'extra', type: 'jsonb' } as const, ...(table.kept ?? [])],
  ]),
)
const IN_PLACE = new Map(
  TABLES.map(({ name, columns }) => [
    name,
    columns.filter((column) => column.volatile === true).map((column) => column.name),
  ]),
)

export function keyOf({ key }: Table, row: PlainRow): string {
  return JSON.stringify(key.map((name) => row[name]))
}

/** The table's own columns and `extra`, in their order. */
export function plainRow({ name: table }: Table, row: PlainRow): PlainRow {
  return Object.fromEntries(
    (COLUMNS.get(table) ?? []).map(({ name, type }) => {
      const value = row[name] ?? null
      if (value === null) return [name, null]
      if (type === 'timestamptz') return [name, new Date(String(value)).toISOString()]
      return [name, type === 'bigint' ? Number(value) : value]
    }),
  )
}

/** What of a row makes a version: all but what changes in place. */
export function versionText({ name }: Table, row: PlainRow | undefined): string {
  if (row === undefined) return ''
  const inPlace = IN_PLACE.get(name) ?? []
  return JSON.stringify(Object.entries(row).filter(([column]) => !inPlace.includes(column)))
}

/** How many columns say something; `without` are not counted. */
export function fullness(row: PlainRow, without: readonly string[] = []): number {
  return Object.entries(row).filter(([name, value]) => value !== null && !without.includes(name)).length
}
