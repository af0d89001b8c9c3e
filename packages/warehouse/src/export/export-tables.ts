import type { DescribedObject, SchemaDescription } from '../admin/describe.ts'
import type { ReceiveRow } from '../driver/copy-rows.ts'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { TABLES } from '../tables/index.ts'
import { copyStatement } from './statement.ts'
import type { ExportOptions, ExportRun, ExportState } from './types.ts'

/** The key's index gives the order: without statistics the planner would sort the whole table. */
const ALONG_THE_KEY =
  'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off'

/** Calls `work` with one state of the tables, which it may copy until it returns. */
export async function exportTables<T>(
  driver: Driver,
  schema: SchemaNames,
  description: SchemaDescription,
  { tables: wanted, asOf }: ExportOptions,
  work: (state: ExportState) => Promise<T>,
): Promise<T> {
  const tables = chosenTables(description, wanted, asOf)
  const caller = new CallerErrors()
  const transaction = driver.transaction(
    async (connection) => {
      await connection.script('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
      // before the first query, which fixes the state: a table that is rewritten later would look empty
      const names = tables.map(({ name }) => `${schema.main}.${quoted(name)}`)
      await connection.script(`LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`)
      await requireVersion(connection, schema, description.version)
      const origin = await readOrigin(connection, schema, asOf)
      await connection.script(ALONG_THE_KEY)
      const state: ExportState = {
        ...origin,
        schema: schema.name,
        schemaVersion: description.version,
        tables: tables.map(({ name, columns }) => ({
          name,
          columns: columns.map((column) => ({ name: column.name, type: column.type })),
        })),
        copy: async (name, encoding, receive) => {
          const table = tables.find((known) => known.name === name)
          if (table === undefined) throw new WarehouseError('MISUSE', `table ${name} is not part of this export`)
          const statement = copyStatement(schema, { ...table, key: orderOf(table) }, encoding, asOf)
          return await caller.copying(receive, (noted) => connection.copyRows(statement, noted))
        },
      }
      return await caller.working(() => work(state))
    },
    { readOnly: true },
  )
  return await transaction.catch((error) => {
    throw caller.failure === undefined ? error : caller.failure.error
  })
}

/** Keeps apart what the caller threw, which must reach it as it is: the driver takes errors for those of the database. */
class CallerErrors {
  failure: { readonly error: unknown } | undefined
  #ofDatabase: unknown

  async copying(receive: ReceiveRow, copy: (receive: ReceiveRow) => Promise<number>): Promise<number> {
    const note = (error: unknown) => {
      this.failure ??= { error }
      throw error
    }
    try {
      return await copy((row) => {
        try {
          return receive(row)?.catch(note)
        } catch (error) {
          return note(error)
        }
      })
    } catch (error) {
      this.#ofDatabase = error
      throw error
    }
  }

  async working<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error !== this.#ofDatabase) this.failure ??= { error }
      throw error
    }
  }
}

function chosenTables(
  { schema, objects }: SchemaDescription,
  wanted: readonly string[] | undefined,
  asOf: Date | undefined,
): DescribedObject[] {
  const hasHistory = (name: string) => TABLES.some((table) => table.name === name)
  const all = objects.filter((object) => object.schema === schema && object.kind === 'table')
  const known = asOf === undefined ? all : all.filter(({ name }) => hasHistory(name))
  for (const name of wanted ?? []) {
    if (known.some((table) => table.name === name)) continue
    const reason = all.some((table) => table.name === name)
      ? `table ${name} keeps no history`
      : `there is no table ${name}`
    throw new WarehouseError('MISUSE', `${reason}: use one of ${known.map((table) => table.name).join(', ')}`)
  }
  return known.filter(({ name }) => wanted?.includes(name) ?? true)
}

function orderOf({ columns }: DescribedObject): string[] {
  const keys = columns.filter(({ key }) => key !== null).sort((a, b) => (a.key ?? 0) - (b.key ?? 0))
  return (keys.length > 0 ? keys : columns).map(({ name }) => name)
}

async function requireVersion(connection: Connection, { main, name }: SchemaNames, expected: number): Promise<void> {
  const { rows } = await connection.query(`SELECT max(version)::integer FROM ${main}.schema_version`)
  if (rows[0]?.[0] === expected) return
  throw new WarehouseError('STALE', `schema ${name} was migrated meanwhile; run again`)
}

type Origin = Pick<ExportState, 'at' | 'baseUrl' | 'run' | 'runUnderWay'>

async function readOrigin(connection: Connection, { main }: SchemaNames, asOf: Date | undefined): Promise<Origin> {
  const at = asOf === undefined ? 'infinity' : asOf.toISOString()
  const latest = async (statuses: string) => {
    const found = await connection.query(
      `SELECT run_id, started_at, status, base_url FROM ${main}.runs
       WHERE status IN (${statuses}) AND started_at <= $1::timestamptz ORDER BY started_at DESC LIMIT 1`,
      [at],
    )
    return records<ExportRun & { base_url: string }>(found)[0] ?? null
  }
  const named = (run: ExportRun | null) => run && { run_id: run.run_id, started_at: run.started_at, status: run.status }
  const { rows } = await connection.query('SELECT transaction_timestamp()')
  const finished = await latest("'succeeded', 'partial'")
  const underWay = await latest("'running'")
  return {
    at: asOf?.toISOString() ?? String(rows[0]?.[0]),
    baseUrl: (finished ?? underWay)?.base_url ?? null,
    run: named(finished),
    runUnderWay: named(underWay),
  }
}
