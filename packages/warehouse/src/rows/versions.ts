import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { TABLES, tableByName } from '../tables/index.ts'
import type { Table, TableName } from '../tables/table.ts'

/** Versions of the present rows: they differ from those of earlier and later rows. */
export interface ProjectVersions {
  /** Identity of the warehouse: versions of two warehouses cannot be compared. */
  readonly warehouse: string
  /** By project and table; it differs if any row was added, changed, deleted, edited or restored. Tables without rows are missing. */
  readonly projects: ReadonlyMap<string, ReadonlyMap<TableName, string>>
}

export interface RecordVersion {
  readonly id: string
  readonly version: string
}

/**
 * The version of row `t` as a number: a hash of its key, `valid_from` and transaction. The transaction makes rows that were edited or
 * restored by hand count as changed, although their `valid_from` is the same.
 */
function versionOf({ key }: Table): string {
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

/** The version of each live record of a project's table, with the rows that belong to it in `lists`, in the order of the key. */
export async function* readRecordVersions(
  driver: Driver,
  schema: SchemaNames,
  { name, pid, lists }: { readonly name: TableName; readonly pid: string; readonly lists: readonly TableName[] },
): AsyncGenerator<RecordVersion> {
  const [, id = ''] = tableByName(name).key
  const read = [...partsOf(name, id)].filter(({ table }) => table.name === name || lists.includes(table.name))
  const parts = read.map(
    ({ table, column, where }) =>
      `SELECT t.${quoted(column)} AS id, ${versionOf(table)} AS version FROM ${schema.main}.${quoted(table.name)} t
       WHERE t.pid = $1 AND t.deleted_at IS NULL${where}`,
  )
  const { rows } = await driver.query(
    `SELECT id, sum(version)::text FROM (${parts.join(' UNION ALL ')}) r GROUP BY id ORDER BY id COLLATE "C"`,
    [storedId(pid)],
  )
  for (const [record, version] of rows) yield { id: String(record), version: String(version) }
}

/** The tables of a record and of its lists, each with the column that names the record. */
function* partsOf(
  name: TableName,
  column: string,
  where = '',
): Generator<{ readonly table: Table; readonly column: string; readonly where: string }> {
  yield { table: tableByName(name), column, where }
  for (const { name: child, parent } of TABLES) {
    if (parent === undefined || !parent.tables.includes(name)) continue
    const renamed = parent.as?.[name]
    const [own = column] = Object.entries(renamed?.columns ?? {}).find(([, theirs]) => theirs === column) ?? []
    const fixed = Object.entries(renamed?.fixed ?? {}).map(([key, value]) => ` AND t.${quoted(key)} = '${value}'`)
    yield* partsOf(child, own, fixed.join(''))
  }
}
