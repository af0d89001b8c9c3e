import { readMarks, refuseMoved, refuseUnfinished, writeMarks } from '../admin/marks.ts'
import { lockMigrations, makeSchemas, replaceReaders } from '../admin/migrate.ts'
import { requireSchema } from '../admin/version.ts'
import type { Connection, Driver, Lock } from '../driver/driver.ts'
import { isSameDatabase } from '../driver/postgres-lock.ts'
import { WarehouseError } from '../errors.ts'
import { type SchemaNames, schemaNames } from '../names.ts'
import { openDriver, type WarehouseOptions } from '../open.ts'
import { stopUnled } from '../runs/workers.ts'
import { addKeys, createBareTables, placedTables } from '../tables/ddl.ts'
import { DEFINITION, inSchema } from '../tables/schema.ts'
import { copyTables, type MovedTable, type OnMoved, placeOf } from './copy-tables.ts'
import { type LeftBehind, readLeftBehind } from './left-behind.ts'

export interface MoveOptions {
  /** The warehouse that is moved; it must exist. */
  readonly source: WarehouseOptions
  readonly target: { readonly databaseUrl: string; readonly schema: string }
  /** Also moves a warehouse that was moved before. */
  readonly again: boolean
  readonly signal: AbortSignal
  readonly onMoved: OnMoved
}

export interface Moved {
  /** Addresses without password. */
  readonly from: string
  readonly to: string
  readonly tables: readonly MovedTable[]
  readonly leftBehind: LeftBehind
}

/** Begins the mark of a target whose source is not marked as moved yet. */
const WORK = 'move of '

/**
 * Copies a warehouse with its history and run log into an empty schema of a Postgres database, compares every table, and marks the source as
 * moved. The target gets everything in one transaction: a move that breaks off leaves nothing there that looks whole.
 * @throws WarehouseError `SAME_PLACE`, `NOT_EMPTY`, `MOVED`, `UNFINISHED`, `LOCKED`, and those of `openWarehouse`
 */
export async function moveWarehouse(options: MoveOptions): Promise<Moved> {
  const { again, signal, onMoved } = options
  const [from, to] = [schemaNames(options.source.schema), schemaNames(options.target.schema)]
  const [source, target] = await openBoth(options)
  try {
    await refuseSame(source, from, target, to)
    await requireSchema(source, from)
    const lock = await source.lock(from.name)
    await using _release = { [Symbol.asyncDispose]: () => lock.release() }
    const targetLock = await target.lock(to.name)
    await using _releaseTarget = { [Symbol.asyncDispose]: () => targetLock.release() }
    return await moveLocked({ source, from, target, to, lock, again, signal, onMoved })
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    await Promise.all([source.close(), target.close()])
  }
}

async function openBoth({ source, target }: MoveOptions): Promise<[Driver, Driver]> {
  const opened = await openDriver({ ...source, mustExist: true })
  try {
    return [opened, await openDriver({ databaseUrl: target.databaseUrl, dataDir: '' })]
  } catch (error) {
    await opened.close()
    throw error
  }
}

async function refuseSame(source: Driver, from: SchemaNames, target: Driver, to: SchemaNames): Promise<void> {
  if (from.name !== to.name || source.kind === 'embedded' || !(await isSameDatabase(source, target))) return
  throw new WarehouseError(
    'SAME_PLACE',
    `schema ${from.name} of ${target.location} is the warehouse that is to be moved: name another database or schema`,
  )
}

interface Parts extends Pick<MoveOptions, 'again' | 'signal' | 'onMoved'> {
  readonly source: Driver
  readonly from: SchemaNames
  readonly target: Driver
  readonly to: SchemaNames
  /** Of the source. */
  readonly lock: Lock
}

async function moveLocked(parts: Parts): Promise<Moved> {
  const { source, from, target, to, lock, again, signal } = parts
  const marks = await readMarks(source, from)
  refuseUnfinished(marks, source, from)
  const work = `${WORK}schema ${from.name} of ${source.location}`
  const begun = await readMarks(target, to)
  // killed in its last moments, when the source may be marked already
  const isBroken = begun.unfinished === work
  if (!isBroken) refuseUnfinished(begun, target, to)
  if (!again && !isBroken) refuseMoved(marks, source, from)
  if (source.kind === 'postgres') await stopUnled(source, from)
  // a source that cannot be marked is refused before hours of copying
  await writeMarks(source, from, { movedTo: marks.movedTo })
  const leftBehind = await readLeftBehind(source, from)
  const { tables, lastRun } = await copyAll(parts, work, isBroken)
  await lock.regain?.({ signal, prove: async () => (await readLastRun(source, from)) === lastRun })
  const at = new Date().toISOString()
  await writeMarks(source, from, { movedTo: `${target.location} (schema ${to.name}) at ${at}` })
  await writeMarks(target, to, { unfinished: null })
  return { from: source.location, to: target.location, tables, leftBehind }
}

/** One state of the source: names are locked before the first query, which fixes it. */
const ONE_STATE = (schema: SchemaNames) => {
  const names = placedTables(DEFINITION).map((table) => placeOf(schema, table))
  return `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; LOCK TABLE ${names.join(', ')} IN ACCESS SHARE MODE`
}

async function copyAll(
  { source, from, target, to, onMoved, signal }: Parts,
  work: string,
  isBroken: boolean,
): Promise<{ tables: MovedTable[]; lastRun: string }> {
  return await source.transaction(
    async (reading) => {
      const lastRun = await readLastRun(reading, from)
      const tables = await target.transaction(async (writing) => {
        await lockMigrations(writing, to)
        if (isBroken) await writing.script(`DROP SCHEMA ${to.main}, ${to.history} CASCADE`)
        else await requireEmpty(writing, to, target.location)
        await makeSchemas(writing, to, target.location)
        await writing.script(inSchema(createBareTables(DEFINITION).join(';\n'), to))
        const copied = await copyTables(
          { connection: reading, schema: from },
          { connection: writing, schema: to },
          (at) => {
            signal.throwIfAborted()
            onMoved(at)
          },
        )
        await writing.script(inSchema(addKeys(DEFINITION).join(';\n'), to))
        await replaceReaders(writing, to)
        await writeMarks(writing, to, { unfinished: work, movedTo: null })
        return copied
      })
      return { tables, lastRun }
    },
    { readOnly: true, setup: ONE_STATE(from) },
  )
}

async function readLastRun(connection: Pick<Connection, 'query'>, { main }: SchemaNames): Promise<string> {
  const { rows } = await connection.query(`SELECT max(run_id) FROM ${main}.runs`)
  return String(rows[0]?.[0])
}

async function requireEmpty(
  connection: Connection,
  { name, historyName }: SchemaNames,
  location: string,
): Promise<void> {
  const { rows } = await connection.query(
    `SELECT n.nspname || '.' || c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname IN ($1, $2) ORDER BY 1 LIMIT 1`,
    [name, historyName],
  )
  if (rows.length === 0) return
  throw new WarehouseError(
    'NOT_EMPTY',
    `schema ${name} of ${location} is not empty (it has ${rows[0]?.[0]}): name another database or --to-schema`,
  )
}
