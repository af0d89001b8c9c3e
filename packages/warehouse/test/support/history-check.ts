import { expect } from 'vitest'
import { TABLES, tableByName } from '../../src/tables/index.ts'
import type { Table, TableName } from '../../src/tables/table.ts'
import type { Backend } from './backends.ts'
import { keyOf, type PlainRow, plainRow, type State, versionText } from './history-rows.ts'

/** All rows of one kind in all tables: what the database has, as it has it. */
interface StoredRow {
  readonly table: Table
  readonly key: string
  readonly row: PlainRow
  readonly from: string
  /** When it stopped to hold; `null` for what holds now. */
  readonly to: string | null
}

const currentRows = (backend: Backend, schema: string) =>
  read(backend, (name) => `SELECT to_jsonb(t) FROM ${schema}.${name} t`, 'deleted_at')

/** Holds the live rows against the state that the last run has left. */
export async function expectLive(backend: Backend, schema: string, state: State): Promise<void> {
  const current = await currentRows(backend, schema)
  expect(byTable(current.filter(({ to }) => to === null)), 'live rows').toEqual(linesOf(state))
}

/** Holds all versions against the states that the runs have left, in their order. */
export async function expectStates(
  backend: Backend,
  schema: string,
  states: readonly { readonly at: string; readonly state: State }[],
): Promise<void> {
  const current = await currentRows(backend, schema)
  const past = await read(backend, (name) => `SELECT to_jsonb(t) FROM ${schema}_history.${name} t`, 'valid_to')
  const found = await asOf(
    backend,
    schema,
    states.map(({ at }) => at),
  )
  for (const [index, { state }] of states.entries()) {
    expect(stable(found[index] ?? new Map()), `as of run ${index + 1} of ${states.length}`).toEqual(stable(state))
  }
  expectIntervals(current, past)
}

/** Versions of a key follow one another, end where the current one begins or it was deleted, and differ where they touch. */
function expectIntervals(current: readonly StoredRow[], past: readonly StoredRow[]): void {
  const versions = Map.groupBy(past, ({ table, key }) => `${table.name} ${key}`)
  const keys = new Set(current.map(({ table, key }) => `${table.name} ${key}`))
  expect(
    [...versions.keys()].filter((key) => !keys.has(key)),
    'history of rows that are not stored',
  ).toEqual([])
  for (const row of current) {
    const name = `${row.table.name} ${row.key}`
    const chain = (versions.get(name) ?? []).toSorted((a, b) => (a.from < b.from ? -1 : 1))
    if (row.to === null) chain.push(row)
    else if (row.from < row.to) {
      const { from, to, row: of } = chain.at(-1) ?? row
      expect([name, from, to, versionText(row.table, of)]).toEqual([
        name,
        row.from,
        row.to,
        versionText(row.table, row.row),
      ])
      expect(chain, `${name}: its last version is kept`).not.toHaveLength(0)
    } else expect([name, row.from]).toEqual([name, row.to])
    for (const [index, version] of chain.entries()) {
      const before = chain[index - 1]
      if (version.to !== null)
        expect(version.from < version.to, `${name} holds from ${version.from} to ${version.to}`).toBe(true)
      if (before === undefined) continue
      expect((before.to ?? '9') <= version.from, `${name}: ${before.to} is not after ${version.from}`).toBe(true)
      if (before.to !== version.from) continue
      expect([name, versionText(row.table, version.row)]).not.toEqual([name, versionText(row.table, before.row)])
    }
  }
}

/** The tables as the functions give them, for each of the times. */
async function asOf(backend: Backend, schema: string, times: readonly string[]): Promise<State[]> {
  const tables = TABLES.map(
    ({ name }) =>
      `SELECT '${name}', r.at::text, to_jsonb(t)::text FROM unnest($1::timestamptz[]) WITH ORDINALITY AS r (moment, at), ${schema}.${name}_as_of(r.moment) t`,
  )
  const { rows } = await backend.driver.query(tables.join(' UNION ALL '), [times])
  const states = times.map(() => new Map<TableName, Map<string, PlainRow>>(TABLES.map(({ name }) => [name, new Map()])))
  for (const [name, at, text] of rows) {
    const table = tableByName(String(name) as TableName) // named in the query
    const row: Record<string, unknown> = JSON.parse(String(text))
    expect([row['deleted_at'], row['record_hash'] ?? null], `${table.name} as of`).toEqual([null, null])
    const of = states[Number(at) - 1]?.get(table.name)
    expect(of?.has(keyOf(table, plainRow(table, row))), `${table.name} has a key twice`).toBe(false)
    of?.set(keyOf(table, plainRow(table, row)), plainRow(table, row))
  }
  return states
}

async function read(backend: Backend, sql: (name: string) => string, until: string): Promise<StoredRow[]> {
  const { rows } = await backend.driver.query(
    TABLES.map(({ name }) => `SELECT '${name}', j::text FROM (${sql(name)}) r (j)`).join(' UNION ALL '),
  )
  return rows.map(([name, text]) => {
    const table = tableByName(String(name) as TableName) // named in the query
    const all: Record<string, unknown> = JSON.parse(String(text))
    const row = plainRow(table, all)
    const time = (value: unknown) => new Date(String(value)).toISOString()
    const to = all[until] ?? null
    return { table, key: keyOf(table, row), row, from: time(all['valid_from']), to: to === null ? null : time(to) }
  })
}

function byTable(rows: readonly StoredRow[]): Record<string, string[]> {
  return Object.fromEntries(
    TABLES.map(({ name }) => [
      name,
      rows
        .filter(({ table }) => table.name === name)
        .map(({ row }) => JSON.stringify(row))
        .toSorted(),
    ]),
  )
}

function linesOf(state: State): Record<string, string[]> {
  return Object.fromEntries(
    TABLES.map(({ name }) => [
      name,
      [...(state.get(name) ?? new Map()).values()].map((row) => JSON.stringify(row)).toSorted(),
    ]),
  )
}

/** What changes in place is no part of what was true then. */
function stable(state: State): Record<string, string[]> {
  return Object.fromEntries(
    TABLES.map((table) => [
      table.name,
      [...(state.get(table.name) ?? new Map<string, PlainRow>()).values()]
        .map((row) => versionText(table, row))
        .toSorted(),
    ]),
  )
}

/** Where rows are, and whether nothing is left to add to them. */
export type Trace = readonly { readonly place: string; readonly isFinal: boolean }[]

/** By resource and history table: where each row is, and by whom it was put there. Changes with every row that is written, be it in place. */
export async function traceOfWrites(backend: Backend, schema: string): Promise<Trace> {
  const tables = TABLES.flatMap(({ name, hashed }) => [
    {
      name: `${schema}.${name}`,
      isFinal: hashed === true ? 'record_hash IS NOT NULL OR deleted_at IS NOT NULL' : 'true',
    },
    { name: `${schema}_history.${name}`, isFinal: 'true' },
  ])
  const place = `ctid::text || ' ' || xmin::text || ' ' || xmax::text`
  const { rows } = await backend.driver.query(
    tables.map(({ name, isFinal }) => `SELECT '${name}', ${place}, ${isFinal} FROM ${name}`).join(' UNION ALL '),
  )
  return rows.map(([name, where, isFinal]) => ({ place: `${name} ${where}`, isFinal: isFinal === true }))
}

/** Rows of records that were read in a list which was not whole have no hash; the next run may add it, and writes nothing else. */
export function expectOnlyHashesWritten(before: Trace, after: Trace): void {
  const places = new Set(after.map(({ place }) => place))
  const written = before.filter(({ place, isFinal }) => isFinal && !places.has(place))
  expect(written, 'written without news').toEqual([])
  expect(after, 'written without news').toHaveLength(before.length)
}
