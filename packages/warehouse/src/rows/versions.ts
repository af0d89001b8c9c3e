import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { tableByName } from '../tables/index.ts'
import type { Table, TableName } from '../tables/table.ts'

/** Versions of the present rows: they differ from those of earlier and later rows. */
export interface ProjectVersions {
  /** Identity of the warehouse: versions of two warehouses cannot be compared. */
  readonly warehouse: string
  /** By project and table; it differs if any row was added, changed, deleted, edited or restored. Tables without rows are missing. */
  readonly projects: ReadonlyMap<string, ReadonlyMap<TableName, string>>
}

/**
 * The version of row `t` as a number: a hash of its key, `valid_from` and transaction. The transaction makes rows that were edited or
 * restored by hand count as changed, although their `valid_from` is the same.
 */
export function versionOf({ key }: Table): string {
  const parts = [...key, 'valid_from', 'xmin'].map((column) => `t.${quoted(column)}`)
  return `hashtextextended(concat_ws(chr(1), ${parts.join(', ')}), 0)`
}

export async function readProjectVersions(
  driver: Driver,
  schema: SchemaNames,
  tables: readonly TableName[],
): Promise<ProjectVersions> {
  const read = (name: TableName) =>
    driver.query(
      `SELECT t.pid, count(*)::text || '/' || sum(${versionOf(tableByName(name))})::text
       FROM ${schema.main}.${quoted(name)} t WHERE t.deleted_at IS NULL AND t.pid IS NOT NULL GROUP BY t.pid`,
    )
  const results = await Promise.all(tables.map(async (name) => ({ name, rows: (await read(name)).rows })))
  const projects = new Map<string, Map<TableName, string>>()
  for (const { name, rows } of results) {
    for (const [pid, version] of rows) {
      const own = projects.get(String(pid)) ?? new Map<TableName, string>()
      projects.set(String(pid), own.set(name, String(version)))
    }
  }
  return { warehouse: await identityOf(driver, schema), projects }
}

/** The first run has a random id. A copy of a warehouse has the same id, but its rows have other transactions. */
async function identityOf(driver: Driver, schema: SchemaNames): Promise<string> {
  const { rows } = await driver.query(
    `SELECT current_database(), '${schema.main}.projects'::regclass::oid::text,
       (SELECT run_id::text FROM ${schema.main}.runs ORDER BY started_at, run_id LIMIT 1)`,
  )
  return JSON.stringify(rows[0])
}
