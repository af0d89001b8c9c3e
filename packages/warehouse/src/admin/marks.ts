import type { Connection, Driver } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import type { SchemaNames } from '../names.ts'

/** What is noted about a warehouse as a whole, in its table `schema_version`; no password in either. */
export interface Marks {
  /** The work that has not filled it to the end, such as `load of /backups`; `null`: it is whole. */
  readonly unfinished: string | null
  /** Where it was moved to; `null`: it was not. */
  readonly movedTo: string | null
}

const NO_MARKS: Marks = { unfinished: null, movedTo: null }

export async function readMarks(connection: Pick<Connection, 'query'>, schema: SchemaNames): Promise<Marks> {
  // an older warehouse has neither column; unlike to_regclass, this also works for a role that may not use the schema
  const { count } = await connection.query(
    `SELECT FROM information_schema.columns
     WHERE table_schema = $1 AND table_name = 'schema_version' AND column_name IN ('unfinished', 'moved_to')`,
    [schema.name],
  )
  if (count < 2) return NO_MARKS
  // of all rows: an upgrade adds one
  const { rows } = await connection.query(`SELECT max(unfinished), max(moved_to) FROM ${schema.main}.schema_version`)
  const [unfinished, movedTo] = (rows[0] ?? []).map((value) => (typeof value === 'string' ? value : null))
  return { unfinished: unfinished ?? null, movedTo: movedTo ?? null }
}

/** Sets the marks that are given, or removes those that are `null`. The schema must be of this version. */
export async function writeMarks(
  connection: Pick<Connection, 'query'>,
  { main }: SchemaNames,
  marks: Partial<Marks>,
): Promise<void> {
  const { unfinished, movedTo } = marks
  if (unfinished !== undefined)
    await connection.query(`UPDATE ${main}.schema_version SET unfinished = $1`, [unfinished])
  if (movedTo !== undefined) await connection.query(`UPDATE ${main}.schema_version SET moved_to = $1`, [movedTo])
}

/** Throws `UNFINISHED` for a warehouse that a load or move has not filled to the end. */
export function refuseUnfinished({ unfinished }: Marks, driver: Driver, { name }: SchemaNames): void {
  if (unfinished === null) return
  // a move reads its source from the settings
  const command = unfinished.replace(/^(load) of |^(move) of .*/, '$1$2 ').trimEnd()
  throw new WarehouseError(
    'UNFINISHED',
    `the warehouse in schema ${name} of ${driver.location} is not whole: a ${unfinished} has not ended; finish it with the same command (collab-extract ${command})`,
  )
}

/** Throws `MOVED` for a warehouse that was moved to another database. */
export function refuseMoved({ movedTo }: Marks, driver: Driver, { name }: SchemaNames): void {
  if (movedTo === null) return
  throw new WarehouseError(
    'MOVED',
    `the warehouse in schema ${name} of ${driver.location} was moved to ${movedTo}: use that one, or this one again with --again (of snapshot and move)`,
  )
}
