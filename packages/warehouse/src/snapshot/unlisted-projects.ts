import type { Driver } from '../driver/driver.ts'
import { columnList, type SchemaNames } from '../names.ts'
import { historyOf, versionColumns } from '../publish/history.ts'
import { tableByName } from '../tables/index.ts'

const PROJECTS = tableByName('projects')

interface Readable {
  readonly listed: ReadonlySet<string> | null
  readonly readable: ReadonlySet<string>
}

/**
 * Sets `unlisted_since` of live projects that could be read and are not in the list, and clears it of those that are. Either
 * makes a new version of the row. Returns the unlisted ones, in order, and how many rows were changed.
 */
export async function markUnlisted(
  driver: Driver,
  schema: SchemaNames,
  { startedAt }: { readonly startedAt: Date },
  { listed, readable }: Readable,
): Promise<{ unlisted: string[]; updated: number }> {
  if (listed === null) return { unlisted: [], updated: 0 }
  const versions = versionColumns(PROJECTS)
  const table = `${schema.main}.projects`
  const wanted = [...readable].filter((pid) => !listed.has(pid))
  return await driver.transaction(async (connection) => {
    const { count } = await connection.query(
      `WITH changed AS MATERIALIZED (
          SELECT pid, CASE WHEN unlisted_since IS NULL THEN $1::timestamptz END AS since FROM ${table}
          WHERE deleted_at IS NULL AND CASE WHEN unlisted_since IS NULL THEN pid = ANY ($2::text[]) ELSE pid = ANY ($3::text[]) END
        ), kept AS (
          INSERT INTO ${historyOf(schema, PROJECTS)} (${columnList(versions)}, valid_from, valid_to)
          SELECT ${columnList(versions, 't')}, t.valid_from, $1 FROM ${table} t JOIN changed c ON c.pid = t.pid WHERE t.valid_from < $1
        )
        UPDATE ${table} t SET unlisted_since = c.since, valid_from = $1 FROM changed c WHERE t.pid = c.pid`,
      [startedAt.toISOString(), wanted, [...listed]],
    )
    const { rows } = await connection.query(
      `SELECT pid FROM ${table} WHERE deleted_at IS NULL AND pid = ANY ($1::text[]) ORDER BY pid`,
      [wanted],
    )
    return { unlisted: rows.map(([pid]) => String(pid)), updated: count }
  })
}
