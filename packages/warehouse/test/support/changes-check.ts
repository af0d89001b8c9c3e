import { isDeepStrictEqual } from 'node:util'
import { expect } from 'vitest'
import type { Connection } from '../../src/driver/driver.ts'
import { TABLES } from '../../src/tables/index.ts'

/** A row as JSON, by table and key. */
type Rows = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** Columns that are no values of a record. */
const NOT_COMPARED = new Set(['valid_from', 'deleted_at', 'record_hash'])

/** Holds the view `changes` and the function `changes_between` against plain comparisons of the states at these times, in order. */
export async function expectChanges(connection: Connection, schema: string, times: readonly string[]): Promise<void> {
  const states: Rows[] = [new Map()]
  for (const time of times) states.push(await stateAt(connection, schema, time))
  const bounds = ['-infinity', ...times]
  for (const [index, at] of times.entries()) {
    const found = await changes(connection, `${schema}.changes WHERE changed_at = '${at}'`)
    expect(found, `by the run that began at ${at}`).toEqual(difference(states[index], states[index + 1]))
  }
  for (const [from, since] of bounds.entries()) {
    for (const [to, until] of bounds.entries()) {
      if (to < from || to === from + 1) continue
      const found = await changes(connection, `${schema}.changes_between('${since}', '${until}')`)
      expect(found, `between ${since} and ${until}`).toEqual(difference(states[from], states[to]))
    }
  }
  const { rows } = await connection.query(
    `SELECT DISTINCT changed_at::text FROM ${schema}.changes WHERE changed_at <> ALL ($1::timestamptz[])`,
    [times],
  )
  expect(rows, 'changes at other times').toEqual([])
}

async function stateAt(connection: Connection, schema: string, time: string): Promise<Rows> {
  const state = new Map<string, Record<string, unknown>>()
  const parts = TABLES.map(
    ({ name }) => `SELECT '${name}', to_jsonb(t)::text FROM ${schema}.${name}_as_of($1::timestamptz) t`,
  )
  const { rows } = await connection.query(parts.join(' UNION ALL '), [time])
  for (const [name, text] of rows) {
    const row: Record<string, unknown> = JSON.parse(String(text))
    const table = TABLES.find((each) => each.name === name)
    const key = table?.key.map((column) => [column, row[column]]) ?? []
    state.set(JSON.stringify([name, key]), row)
  }
  return state
}

function difference(before: Rows = new Map(), after: Rows = new Map()): string[] {
  const lines: string[] = []
  for (const id of new Set([...before.keys(), ...after.keys()])) {
    const [name, key] = JSON.parse(id) as [string, [string, unknown][]]
    const keys = new Set(key.map(([column]) => column))
    const values = (row: Readonly<Record<string, unknown>> | undefined) =>
      row && Object.entries(row).filter(([column]) => !NOT_COMPARED.has(column) && !keys.has(column))
    const [old, now] = [before.get(id), after.get(id)]
    const columns =
      values(now)
        ?.map(([column]) => column)
        .filter((column) => !isDeepStrictEqual(old?.[column], now?.[column])) ?? []
    if (old !== undefined && now !== undefined && columns.length === 0) continue
    const isChanged = old !== undefined && now !== undefined
    const shown = (row: typeof old) =>
      row === undefined
        ? null
        : Object.fromEntries((values(row) ?? []).filter(([column]) => !isChanged || columns.includes(column)))
    lines.push(
      line({
        table: name,
        pid: (now ?? old)?.['pid'] ?? null,
        key: Object.fromEntries(key),
        change: isChanged ? 'changed' : old === undefined ? 'added' : 'deleted',
        columns: isChanged ? columns : null,
        old: shown(old),
        new: shown(now),
      }),
    )
  }
  return lines.toSorted()
}

async function changes(connection: Connection, source: string): Promise<string[]> {
  const { rows } = await connection.query(
    `SELECT json_build_object('table', table_name, 'pid', pid, 'key', key, 'change', change, 'columns', columns, 'old', old_values,
       'new', new_values)::text FROM ${source}`,
  )
  return rows.map(([text]) => line(JSON.parse(String(text)) as Record<string, unknown>)).toSorted()
}

/** The order of columns does not count. */
function line(value: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(value, (name, held: unknown) => {
    if (name === 'columns' && Array.isArray(held)) return held.toSorted()
    if (typeof held !== 'object' || held === null || Array.isArray(held)) return held
    return Object.fromEntries(Object.entries(held).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
