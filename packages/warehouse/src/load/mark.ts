import type { Connection, Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { literal, type SchemaNames } from '../names.ts'

/** What a warehouse is loaded from, and what of it is missing. */
export interface LoadMark {
  /** Path of the backup, of the archive, or of the directory of backups. */
  readonly source: string
  /** Names of the backups that are not loaded yet, the oldest first. */
  readonly missing: readonly string[]
}

/** Error code of a scope of which a backup does not say how it was read. */
export const NOT_STATED = 'NOT_STATED'

/** A table without columns: it is there from before the first row is loaded until all are. Its comment is the mark. */
const TABLE = 'unfinished_load'

/** The mark of a schema; `null` if its load was finished, or there was none. Needs no right to the schema. */
export async function readMark(connection: Pick<Connection, 'query'>, schema: SchemaNames): Promise<LoadMark | null> {
  const { rows } = await connection.query(
    `SELECT obj_description(c.oid, 'pg_class') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relname = '${TABLE}'`,
    [schema.name],
  )
  const text = rows[0]?.[0]
  return typeof text === 'string' ? (JSON.parse(text) as LoadMark) : null // as `writeMark` wrote it
}

export function writeMark(driver: Driver, schema: SchemaNames, mark: LoadMark): Promise<void> {
  const table = `${schema.main}.${TABLE}`
  return driver.transaction((connection) =>
    connection.script(
      `CREATE TABLE IF NOT EXISTS ${table} (); COMMENT ON TABLE ${table} IS ${literal(JSON.stringify(mark))}`,
    ),
  )
}

export function removeMark(driver: Driver, schema: SchemaNames): Promise<void> {
  return driver.script(`DROP TABLE ${schema.main}.${TABLE}`)
}

/** @throws WarehouseError `HALF_LOADED` if a load of backups is not finished */
export async function requireLoaded(driver: Driver, schema: SchemaNames): Promise<void> {
  const mark = await readMark(driver, schema)
  if (mark !== null) throw halfLoaded(driver, schema, mark)
}

export function halfLoaded({ location }: Driver, { name }: SchemaNames, { source, missing }: LoadMark): WarehouseError {
  const [first, second] = missing
  const what = second === undefined ? first : `${first} and ${missing.length - 1} later backups`
  return new WarehouseError(
    'HALF_LOADED',
    `schema ${name} in ${location} was not loaded completely: of ${source}, ${what ?? 'the comparison at the end'} is missing. ` +
      `Finish it with the same command: collab-extract load ${source}`,
  )
}
