import { run } from './commands.ts'
import type { PlainRow, PlainTables } from './expected-rows.ts'

/**
 * In SQL: a row `t` without the columns of history and hashes; `unlisted_since` and `only_in_team` only where they are set. An archived task has the completion
 * time that an earlier run saw, if one did: the records of the service do not show which.
 */
export const ROW_AS_JSON = `(to_jsonb(t) - '{valid_from,deleted_at,record_hash}'::text[]
    - CASE WHEN to_jsonb(t) ->> 'unlisted_since' IS NULL THEN 'unlisted_since' ELSE '' END
    - CASE WHEN to_jsonb(t) ->> 'only_in_team' IS NULL THEN 'only_in_team' ELSE '' END)
  || CASE WHEN to_jsonb(t) @> '{"archived":true}' AND to_jsonb(t) ? 'tid' THEN '{"completed_at":null}'::jsonb ELSE '{}' END`

/** The live rows of a warehouse, table by table, as `collab-extract query` shows them: times as ISO 8601 text. */
export async function warehouseRows(
  env: Readonly<Record<string, string>>,
  tables: readonly string[],
): Promise<PlainTables> {
  return rowsBy((sql) => byCommand(env, sql), tables)
}

/** The same with any runner of the query. */
export async function rowsBy(
  query: (sql: string) => Promise<readonly (readonly unknown[])[]>,
  tables: readonly string[],
): Promise<PlainTables> {
  const sql = tables
    .map((table) => `SELECT '${table}' AS name, ${ROW_AS_JSON} AS row FROM collab.${table} t WHERE deleted_at IS NULL`)
    .join(' UNION ALL ')
  const rows = (await query(sql)) as readonly [string, PlainRow][] // as selected above
  const found: Record<string, PlainRow[]> = Object.fromEntries(tables.map((table) => [table, []]))
  for (const [table, row] of rows) found[table]?.push(Object.fromEntries(Object.entries(row).map(plainTime)))
  return found
}

/** The rows of a query, by the program. */
export async function byCommand(env: Readonly<Record<string, string>>, sql: string): Promise<unknown[][]> {
  const { code, stdout, stderr } = await run('collab-extract', ['query', sql, '--json', '--allow-superuser'], { env })
  if (code !== 0) throw new Error(`the query ended with ${code}: ${stderr}`)
  const { rows } = JSON.parse(stdout) as { rows: unknown[][] } // the shape that `query --json` promises
  return rows
}

/** A column with its time, if it is one, as ISO 8601 text. */
export function plainTime([column, value]: [string, unknown]): [string, unknown] {
  return /_at$/.test(column) && typeof value === 'string' ? [column, new Date(value).toISOString()] : [column, value]
}

/** Rows as sorted lines of text: two tables are equal if their lines are, in any order of rows and columns. */
export function asLines(rows: readonly PlainRow[]): string[] {
  return rows
    .map((row) => JSON.stringify(Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))))
    .sort()
}
