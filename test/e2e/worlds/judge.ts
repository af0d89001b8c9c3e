import type { PlainRow } from '@collab-etl/harness/expected-rows'
import { isRecord, keyOf, parentOf, type Row } from './rows.ts'

/** Rows by their key. */
export type Rows = Map<string, Row>

export function byKey(rows: readonly Row[]): Rows {
  return new Map(rows.map((row) => [keyOf(row), row]))
}

/** The elements of so many records, of tasks in two lists together, are not deleted at once without `--allow-shrink`. */
const MANY = { ofTasks: 7, ofOthers: 4 }

/** Which share of the rows of a table is missing at most, and whether the guard must refuse that. */
export function lossOf(old: Rows, fresh: Rows): { share: number; isTooMuch: boolean; table: string } {
  const parents = new Set([...fresh.values()].filter(isRecord).map((row) => parentOf(row)))
  const isMissing = missingOf(old, fresh)
  let worst = { share: 0, isTooMuch: false, table: '' }
  for (const rows of Map.groupBy(old.values(), guardOf).values()) {
    const [{ table } = { table: '' }] = rows
    const counted = isRecord({ table, row: {} }) ? rows : rows.filter((row) => parents.has(parentOf(row)))
    if (counted.length === 0) continue
    const share = counted.filter(isMissing).length / counted.length
    const records = new Set(counted.map(parentOf)).size
    const many = table.startsWith('task_') ? MANY.ofTasks : MANY.ofOthers
    const isMany = share === 1 && table !== 'comment_files' && records >= many
    const isTooMuch = isRecord({ table, row: {} }) ? share > 0.5 : isMany
    if (isTooMuch || (share > worst.share && !worst.isTooMuch)) worst = { share, isTooMuch, table }
  }
  return worst
}

/** What is counted together: each of the two lists of tasks has a guard of its own. */
function guardOf({ table, row }: Row): string {
  return table === 'tasks' ? `${table} ${row['archived']}` : table
}

/** An event that has moved comes with another start, and is missing only if it comes with fewer starts than before. */
function missingOf(old: Rows, fresh: Rows): (row: Row) => boolean {
  const startsIn = (rows: Rows) => Map.groupBy(rows.values(), ({ table, row }) => table === 'events' && row['event_id'])
  const [before, now] = [startsIn(old), startsIn(fresh)]
  return (row) => {
    const id = row.row['event_id']
    const isMoved = row.table === 'events' && (now.get(id)?.length ?? 0) >= (before.get(id)?.length ?? 0)
    return !isMoved && !fresh.has(keyOf(row))
  }
}

/** What is wrong with rows of a scope that was read, but not as a whole. */
export function between(old: Rows, fresh: Rows, stored: Rows): string[] {
  const problems: string[] = []
  for (const [key, { row }] of fresh)
    if (!isSame(stored.get(key)?.row, row)) problems.push(`read, but not stored: ${key}`)
  for (const [key, { row }] of stored)
    if (!fresh.has(key) && !isSame(old.get(key)?.row, row)) problems.push(`neither old nor new: ${key}`)
  for (const [key, row] of old) if (isRecord(row) && !stored.has(key)) problems.push(`deleted: ${key}`)
  return problems
}

/** Whether two sets of rows are equal. */
export function areSame(a: Rows = new Map(), b: Rows): boolean {
  return a.size === b.size && [...a].every(([key, { row }]) => isSame(b.get(key)?.row, row))
}

function isSame(a: PlainRow | undefined, b: PlainRow): boolean {
  return a !== undefined && lineOf(a) === lineOf(b)
}

function lineOf(row: PlainRow): string {
  return JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
}

/** What two lists of rows do not have in common, a few of each. */
export function differences(table: string, expected: readonly PlainRow[], found: readonly PlainRow[]): string[] {
  const [left, right] = [expected, found].map((rows) => rows.map(lineOf)) as [string[], string[]]
  const [inLeft, inRight] = [new Set(left), new Set(right)]
  const shown = (what: string, lines: string[]) =>
    lines.slice(0, 3).map((line) => `${table} ${what}: ${line.slice(0, 600)}`)
  return [
    ...shown(
      'lacks',
      left.filter((line) => !inRight.has(line)),
    ),
    ...shown(
      'has',
      right.filter((line) => !inLeft.has(line)),
    ),
    ...(left.length === right.length || inLeft.size !== left.length
      ? []
      : [`${table}: ${right.length} of ${left.length} rows`]),
  ]
}
