import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { tableByName } from '../tables/index.ts'
import { createStageTable, stagedColumns } from './shape.ts'
import { StagingSlot } from './slot.ts'

/** The slots of a run, and the table that gathers all versions of users until the run ends. */
export class StagingSlots {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #existing: Set<string>
  readonly #free: StagingSlot[] = []
  #count = 0

  private constructor(driver: Driver, schema: SchemaNames, existing: Set<string>) {
    this.#driver = driver
    this.#schema = schema
    this.#existing = existing
  }

  /** Makes the staging schema unless it exists, and empties the tables that a killed run left filled. */
  static async open(driver: Driver, schema: SchemaNames): Promise<StagingSlots> {
    const found = await driver.query('SELECT to_regclass($1) IS NULL', [usersSeen(schema)])
    if (found.rows[0]?.[0] === true) {
      await driver.script(
        `CREATE SCHEMA IF NOT EXISTS ${schema.stage};
         COMMENT ON SCHEMA ${schema.stage} IS 'what a run has read but not published; empty between runs';
         ${createStageTable(usersSeen(schema), stagedColumns(tableByName('users')))}`,
      )
    }
    const { rows } = await driver.query(
      `SELECT c.relname, pg_relation_size(c.oid) > 0 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind = 'r' AND c.relpersistence = 'u'`,
      [schema.stageName],
    )
    const left = rows.filter(([, isUsed]) => isUsed === true).map(([name]) => `${schema.stage}.${quoted(String(name))}`)
    if (left.length > 0) await driver.script(`TRUNCATE ${left.join(', ')}`)
    return new StagingSlots(driver, schema, new Set(rows.map(([name]) => String(name))))
  }

  take(): StagingSlot {
    return this.#free.pop() ?? new StagingSlot(this.#driver, this.#schema, this.#count++, this.#existing)
  }

  /** Returns a slot. One that cannot be emptied is not used again; what it holds was published or discarded. */
  async giveBack(slot: StagingSlot): Promise<void> {
    try {
      await slot.clear()
    } catch {
      return
    }
    this.#free.push(slot)
  }
}

/** The table of all versions of users that the run's published scopes have read. */
export function usersSeen(schema: SchemaNames): string {
  return `${schema.stage}.users_seen`
}
