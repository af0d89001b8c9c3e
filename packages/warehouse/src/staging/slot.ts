import type { Driver } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { createStageTable, MAX_RECORDS, type ShapeName, shapeOf } from './shape.ts'

/** Rows deleted from a staging table before it is worth truncating: truncating makes a new file, even for a few rows. */
const TRUNCATE_ABOVE_ROWS = 2000

/**
 * A set of unlogged tables that holds what is read of one project until it is published. Slots are reused, so there are
 * as many as projects were read at once; their tables are made on demand and stay, empty, for the next run.
 */
export class StagingSlot {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #number: number
  readonly #existing: Set<string>
  /** Rows copied in since the slot was cleared, by table. */
  readonly #rows = new Map<ShapeName, number>()
  readonly #deleted = new Map<ShapeName, number>()

  constructor(driver: Driver, schema: SchemaNames, number: number, existing: Set<string>) {
    this.#driver = driver
    this.#schema = schema
    this.#number = number
    this.#existing = existing
  }

  /** Whether rows of that kind were staged (and perhaps deleted since). */
  has(name: ShapeName): boolean {
    return this.#rows.has(name)
  }

  /** The kinds of rows that were staged. */
  get staged(): ShapeName[] {
    return [...this.#rows.keys()]
  }

  /** The staging table in SQL. */
  table(name: ShapeName): string {
    return `${this.#schema.stage}.${quoted(this.#tableName(name))}`
  }

  /** Copies rows; throws `NOT_STORED` if the database reports another number than `given`. */
  async copy(name: ShapeName, rows: readonly Buffer[], given: number): Promise<void> {
    await this.ensure(name)
    const count = await this.#driver.copyIn(this.table(name), columnList(shapeOf(name).copied), rows)
    this.#rows.set(name, (this.#rows.get(name) ?? 0) + count)
    expectRows(this.table(name), 'copied', count, given)
  }

  /** Creates the staging table unless it exists. */
  async ensure(name: ShapeName): Promise<void> {
    if (!this.#existing.has(this.#tableName(name))) {
      await this.#driver.script(createStageTable(this.table(name), shapeOf(name).columns))
      this.#existing.add(this.#tableName(name))
    }
    if (!this.#rows.has(name)) this.#rows.set(name, 0)
  }

  /** Deletes the rows of a stream from all tables but `keep`. */
  async drop(firstSeq: number, keep: readonly ShapeName[]): Promise<void> {
    for (const name of this.#rows.keys()) {
      if (keep.includes(name)) continue
      await this.#driver.query(`DELETE FROM ${this.table(name)} WHERE _seq >= $1 AND _seq <= $2`, [
        firstSeq,
        firstSeq + MAX_RECORDS - 1,
      ])
    }
  }

  /** Empties the slot for the next project. */
  async clear(): Promise<void> {
    const statements: string[] = []
    for (const [name, count] of this.#rows) {
      const deleted = (this.#deleted.get(name) ?? 0) + count
      const isMany = deleted > TRUNCATE_ABOVE_ROWS
      statements.push(isMany ? `TRUNCATE ${this.table(name)}` : `DELETE FROM ${this.table(name)}`)
      this.#deleted.set(name, isMany ? 0 : deleted)
    }
    this.#rows.clear()
    if (statements.length > 0) await this.#driver.script(statements.join(';'))
  }

  #tableName(name: ShapeName): string {
    return `${this.#number}_${name}`
  }
}
