import { readMarks, refuseUnfinished } from './admin/marks.ts'
import type { Driver } from './driver/driver.ts'
import { schemaNames } from './names.ts'
import { DEFAULT_TIMEOUT_SECONDS, type QueryLimits, type QueryOutcome } from './rows/query.ts'
import { queryEmbedded } from './rows/query-embedded.ts'
import { requireNoSecrets, requireReader } from './rows/require-reader.ts'
import { Warehouse } from './warehouse.ts'

/**
 * Where the warehouse is and how it is opened.
 * @example { dataDir: './collab-data', schema: 'collab' }
 */
export interface WarehouseOptions {
  /** Postgres URL; default: the embedded warehouse in `dataDir`. */
  readonly databaseUrl?: string | undefined
  /** Directory of the embedded warehouse; not used with `databaseUrl`. */
  readonly dataDir: string
  /** Schema of the tables; `<schema>_history` and `<schema>_stage` belong to it. */
  readonly schema: string
  readonly signal?: AbortSignal | undefined
  /** Opens an embedded warehouse only if it exists, else throws `NO_WAREHOUSE`. Default: creates it. */
  readonly mustExist?: boolean | undefined
  /** Also opens a warehouse that a load or move has not filled to the end, to fill it. */
  readonly acceptsUnfinished?: boolean | undefined
}

/**
 * Opens the warehouse: in Postgres if `databaseUrl` is given, else the embedded one in `dataDir`, which is created unless it exists and
 * is locked for this process until closed. Creates no schema: see `admin.migrate`.
 * @throws WarehouseError `UNFINISHED`, `UNREACHABLE`, `DENIED`, `UNSUITABLE`, `BAD_URL`, `BAD_SCHEMA_NAME`; embedded: `LOCKED`, `DATA_DIR`, `NO_WAREHOUSE`
 * @example
 * const warehouse = await openWarehouse({ dataDir: './collab-data', schema: 'collab' })
 */
export async function openWarehouse(options: WarehouseOptions): Promise<Warehouse> {
  const schema = schemaNames(options.schema)
  options.signal?.throwIfAborted()
  const driver = await openDriver(options)
  try {
    options.signal?.throwIfAborted()
    if (options.acceptsUnfinished !== true) refuseUnfinished(await readMarks(driver, schema), driver, schema)
    return new Warehouse(driver, schema, options)
  } catch (error) {
    await driver.close()
    throw error
  }
}

/** Opens the database alone. */
export async function openDriver({
  databaseUrl,
  dataDir,
  mustExist,
}: Omit<WarehouseOptions, 'schema'>): Promise<Driver> {
  // Only the library that is needed is loaded: either one takes time and memory.
  if (databaseUrl === undefined) return (await import('./driver/embedded.ts')).openEmbedded(dataDir, { mustExist })
  return (await import('./driver/postgres.ts')).openPostgres(databaseUrl)
}

export interface QueryWarehouseOptions {
  /** Default: 300; above 0. */
  readonly timeoutSeconds?: number
  /** Also run as a role that can do more than read in a read-only transaction; ignored for the embedded warehouse. */
  readonly allowSuperuser?: boolean
  /**
   * For statements that a person did not write: refuses, as `TOO_POWERFUL`, a role that reads secrets of the server or the statements of other
   * roles, or that reaches other servers by functions of an extension. Ignored for the embedded warehouse, which has none.
   */
  readonly refusesSecrets?: boolean
  /** Default: the whole result. */
  readonly limits?: QueryLimits
}

/**
 * Opens a warehouse, runs one statement that reads, and closes it. Unlike with `StoredRows.query`, the timeout holds for the
 * embedded one as well, and the signal ends a query there. On Postgres, throws `TOO_POWERFUL` for a role
 * that is a superuser or may become one.
 */
export async function queryWarehouse(
  options: WarehouseOptions,
  sql: string,
  {
    timeoutSeconds = DEFAULT_TIMEOUT_SECONDS,
    allowSuperuser = false,
    refusesSecrets,
    limits,
  }: QueryWarehouseOptions = {},
): Promise<QueryOutcome> {
  schemaNames(options.schema) // an invalid name is reported before anything is made
  if (options.databaseUrl === undefined) return await queryEmbedded(options, sql, timeoutSeconds, limits)
  const warehouse = await openWarehouse(options)
  try {
    if (!allowSuperuser) await requireReader(warehouse.rows)
    if (refusesSecrets === true) await requireNoSecrets(warehouse.rows)
    return await warehouse.rows.query(sql, { timeoutSeconds, ...(limits && { limits }) })
  } finally {
    await warehouse.close()
  }
}
