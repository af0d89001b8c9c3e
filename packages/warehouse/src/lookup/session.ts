import type { Connection, Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import type { Sliced } from './types.ts'

/** Longer statements are cancelled; on the embedded database they cannot be. */
const TIMEOUT_MS = 30_000

/** Titles and names are cut after so many characters. */
const MAX_NAME = 1000

/** Runs statements that see one state of the database. Names without a schema are the warehouse's. */
export function reading<T>(
  driver: Driver,
  schema: SchemaNames,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  return driver.transaction(
    async (connection) => {
      await connection.script(
        `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SET LOCAL search_path = pg_catalog, ${schema.main}; SET LOCAL statement_timeout = ${TIMEOUT_MS}`,
      )
      return await work(connection)
    },
    { readOnly: true },
  )
}

/** The rows of a statement that selects one more than asked for. */
export function sliced<T>(rows: readonly T[], limit: number): Sliced<T> {
  return { items: rows.slice(0, limit), hasMore: rows.length > limit }
}

/** SQL of a name that may be long. */
export function shortName(column: string): string {
  return `left(${column}, ${MAX_NAME})`
}

/** SQL of a `TextPart` of a column, from parameter `$3` on, of the length `$4`. */
export function textPart(column: string): string {
  return `jsonb_build_object('text', coalesce(substr(${column}, $3::int + 1, $4::int), ''), 'offset', $3::int, 'total', coalesce(char_length(${column}), 0))`
}

/** SQL of the name by which a user `alias` is shown. */
export function userName(alias: string): string {
  return shortName(`coalesce(nullif(${alias}.display_name, ''), ${alias}.name)`)
}

/** SQL of the owner of row `t`, whose row of users is `u`, as a `Person`. */
export const OWNER = `CASE WHEN t.owner_uid IS NOT NULL THEN jsonb_build_object('uid', t.owner_uid, 'name', ${userName('u')}) END`
