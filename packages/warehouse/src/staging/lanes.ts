import type { Driver } from '../driver/driver.ts'
import { quoted, type SchemaNames } from '../names.ts'
import { tableByName } from '../tables/index.ts'
import { Lane } from './lane.ts'
import { createStageTable, stagedColumns } from './shape.ts'

/** The lanes of a run, and the table where all that was seen of users is gathered until the run ends. */
export class Lanes {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #existing: Set<string>
  readonly #free: Lane[] = []
  #count = 0

  private constructor(driver: Driver, schema: SchemaNames, existing: Set<string>) {
    this.#driver = driver
    this.#schema = schema
    this.#existing = existing
  }

  /** Makes the staging schema if need be, and empties what a run that died left there. */
  static async open(driver: Driver, schema: SchemaNames): Promise<Lanes> {
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
    return new Lanes(driver, schema, new Set(rows.map(([name]) => String(name))))
  }

  take(): Lane {
    return this.#free.pop() ?? new Lane(this.#driver, this.#schema, this.#count++, this.#existing)
  }

  /** Takes a lane back. One that cannot be emptied is not used again: what is in it was published or given up by now. */
  async giveBack(lane: Lane): Promise<void> {
    try {
      await lane.clear()
    } catch {
      return
    }
    this.#free.push(lane)
  }
}

/** All versions of users that the run's published scopes have seen. */
export function usersSeen(schema: SchemaNames): string {
  return `${schema.stage}.users_seen`
}
