import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'
import type { Connection } from './driver.ts'

/**
 * Throws `NOT_STORED` where the database reports another number of rows than it was given: a trigger or a rule dropped rows, or another session
 * changed them meanwhile (then the transaction is tried again).
 */
export function expectRows(where: string, done: string, written: number, given: number): void {
  if (written === given) return
  throw new WarehouseError(
    'NOT_STORED',
    `the database reports ${written} rows ${done} in ${where} instead of ${given}: remove triggers and rules that drop or change rows there, or stop other programs from writing to it`,
  )
}

/** Fails if fewer of the unchanged rows of a table are stored than were read. */
export function expectPresent(where: string, stored: number, read: number): void {
  if (stored >= read) return
  const rows = read - stored === 1 ? '1 row' : `${read - stored} rows`
  throw new WarehouseError(
    'NOT_STORED',
    `another program deleted or changed ${rows} of ${where} while the project was read: run snapshot again, which restores them`,
  )
}

/** Tables of the schema with triggers or rules, of their own or of a partition; rows written there are read again. */
export async function tablesWithTriggers(connection: Connection, schema: SchemaNames): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(
    `SELECT c.relname FROM (
       SELECT tgrelid FROM pg_trigger WHERE NOT tgisinternal AND tgenabled <> 'D' UNION SELECT ev_class FROM pg_rewrite) AS g (oid)
     JOIN pg_class c ON c.oid = coalesce(pg_partition_root(g.oid), g.oid) AND c.relkind IN ('r', 'p')
     JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1`,
    [schema.name],
  )
  return new Set(rows.map(([name]) => String(name)))
}

/** Throws `NOT_STORED` where stored rows differ from the given ones. */
export function expectSame(where: string, differing: number): void {
  if (differing === 0) return
  throw new WarehouseError(
    'NOT_STORED',
    `${differing} rows of ${where} are not stored as they were given: remove the triggers that change or drop rows there`,
  )
}
