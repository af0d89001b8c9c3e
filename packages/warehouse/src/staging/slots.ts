import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { columnsOfStageTable, isShapeName } from './shape.ts'
import { StagingSlot, TRUNCATE_ABOVE_BYTES } from './slot.ts'
import { forgetUsersSeen, openUsersSeen } from './users-seen.ts'

export interface SlotsOptions {
  /** Number of a worker, which has its own tables; default: the tables of the process that holds the lock of the schema. */
  readonly worker?: number | undefined
}

/** Whether the rows of table `c` may be in other tables, so that its own size says nothing: partitions, or shards of Citus. */
const IN_PARTS = `(c.relkind = 'p' OR to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL)`

export class StagingSlots {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #existing: Set<string>
  readonly #free: StagingSlot[] = []
  readonly #prefix: string
  #count = 0
  /** Grows when the sessions of the run are lost, and with them what was staged. */
  #epoch = 0

  private constructor(driver: Driver, schema: SchemaNames, existing: Set<string>, prefix: string) {
    this.#driver = driver
    this.#schema = schema
    this.#existing = existing
    this.#prefix = prefix
  }

  /** Creates the staging schema unless it exists, and empties tables of this process that a killed process left filled. */
  static async open(driver: Driver, schema: SchemaNames, { worker }: SlotsOptions = {}): Promise<StagingSlots> {
    const prefix = worker === undefined ? '' : `w${worker}_`
    return new StagingSlots(driver, schema, await emptied(driver, schema, prefix), prefix)
  }

  take(): StagingSlot {
    const slot = this.#free.pop()
    if (slot !== undefined) return slot
    const epoch = this.#epoch
    const name = `${this.#prefix}${this.#count++}`
    return new StagingSlot(this.#driver, this.#schema, name, this.#existing, () => this.#epoch === epoch)
  }

  /** The sessions were lost: from now on no slot that is in use is current, and its tables are not used again. */
  lose(): void {
    this.#epoch++
    this.#free.length = 0
  }

  /** Empties all tables again, after `lose`: another process may have used them. */
  async renew(): Promise<void> {
    const existing = await emptied(this.#driver, this.#schema, this.#prefix)
    this.#existing.clear()
    for (const name of existing) this.#existing.add(name)
  }

  /** Deletes the users that the run has seen, because no run will resume it. */
  forgetUsers(): Promise<void> {
    return forgetUsersSeen(this.#driver, this.#schema)
  }

  /** Returns a slot. One that cannot be emptied is not used again; what it holds was published or discarded. */
  async giveBack(slot: StagingSlot): Promise<void> {
    try {
      await slot.clear()
    } catch {
      return
    }
    if (slot.isCurrent()) this.#free.push(slot)
  }
}

/** Creates the staging schema unless it exists, and empties the tables with that prefix; returns their names. */
async function emptied(driver: Driver, schema: SchemaNames, prefix: string): Promise<Set<string>> {
  await openUsersSeen(driver, schema)
  const { rows: found } = await driver.query(
    `SELECT c.relname, pg_relation_size(c.oid) > 0 OR ${IN_PARTS}, pg_table_size(c.oid) > ${TRUNCATE_ABOVE_BYTES},
       ARRAY(SELECT a.attname::text FROM pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum)
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND c.relname ~ $2`,
    [schema.stageName, `^${prefix}[0-9]+_`],
  )
  const tableOf = (name: unknown) => `${schema.stage}.${quoted(String(name))}`
  const isOld = ([name, , , columns]: unknown[]) => {
    const shape = String(name).replace(/^(?:w\d+_)?\d+_/, '')
    return isShapeName(shape) && String(columns) !== String(columnsOfStageTable(shape))
  }
  const old = found.filter(isOld).map(([name]) => tableOf(name))
  // left by another version of this tool: they are made again when they are needed
  if (old.length > 0) await driver.script(`DROP TABLE ${old.join(', ')}`)
  const rows = found.filter((row) => !isOld(row))
  const tables = rows.map(([name]) => tableOf(name))
  // small ones with deleted rows only are not truncated, because that writes new files to disk
  const filled = rows.flatMap(([, isUsed, isLarge], index) => {
    return isUsed === true ? [`SELECT ${index} WHERE ${isLarge} OR EXISTS (SELECT FROM ${tables[index]})`] : []
  })
  const left = filled.length === 0 ? [] : (await driver.query(filled.join(' UNION ALL '))).rows.flat()
  if (left.length > 0) await driver.script(`TRUNCATE ${left.map((index) => tables[Number(index)]).join(', ')}`)
  return new Set(rows.map(([name]) => String(name)))
}
