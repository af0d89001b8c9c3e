import type { Driver } from '../driver/driver.ts'
import { expectRows } from '../driver/written-rows.ts'
import { WarehouseError } from '../errors.ts'
import { columnList, quoted, type SchemaNames } from '../names.ts'
import { createStageTable, MAX_RECORDS, type ShapeName, shapeOf } from './shape.ts'

/** A staging table is truncated after more rows than this: truncating writes new files to disk, which takes as long as deleting this many. */
const TRUNCATE_ABOVE_ROWS = 20_000

/** The same in bytes, because deleted rows take space until the table is truncated, even between runs. */
export const TRUNCATE_ABOVE_BYTES = 4 * 1024 * 1024

/**
 * A set of unlogged tables that holds what is read of one project until it is published. Slots are reused, so there are
 * as many as projects were read at once; their tables are made on demand and stay, empty, for the next run.
 */
export class StagingSlot {
  readonly #driver: Driver
  readonly #schema: SchemaNames
  readonly #name: string
  readonly #existing: Set<string>
  readonly isCurrent: () => boolean
  /** Rows copied in since the slot was cleared, by table. */
  readonly #rows = new Map<ShapeName, number>()
  /** Rows and bytes copied in since the table was truncated. */
  readonly #used = new Map<ShapeName, { rows: number; bytes: number }>()

  /** @param isCurrent whether what was staged in the slot is still there: the sessions that did were not lost since it was taken */
  constructor(driver: Driver, schema: SchemaNames, name: string, existing: Set<string>, isCurrent: () => boolean) {
    this.isCurrent = isCurrent
    this.#driver = driver
    this.#schema = schema
    this.#name = name
    this.#existing = existing
  }

  /**
   * To be called within a transaction that reads staged rows: a crash of the server empties unlogged tables.
   * @throws WarehouseError `LOCK_LOST`
   */
  requireCurrent(): void {
    if (!this.isCurrent())
      throw new WarehouseError('LOCK_LOST', `what was staged in ${this.#name} was lost with its session; run again`)
  }

  /** Whether rows of that kind were staged (and perhaps deleted since). */
  has(name: ShapeName): boolean {
    return this.#rows.has(name)
  }

  /** The staging table in SQL. */
  table(name: ShapeName): string {
    return `${this.#schema.stage}.${quoted(this.#tableName(name))}`
  }

  /** Copies rows; throws `NOT_STORED` if the database reports another number than `given`. */
  async copy(name: ShapeName, rows: readonly Buffer[], given: number): Promise<void> {
    await this.ensure([name])
    const count = await this.#driver.copyIn(this.table(name), columnList(shapeOf(name).copied), rows)
    this.#rows.set(name, (this.#rows.get(name) ?? 0) + count)
    const used = this.#used.get(name) ?? { rows: 0, bytes: 0 }
    this.#used.set(name, {
      rows: used.rows + count,
      bytes: rows.reduce((sum, { length }) => sum + length, used.bytes),
    })
    expectRows(this.table(name), 'copied', count, given)
  }

  /** Creates the staging tables that do not exist, in one transaction, as each waits for the disk. */
  async ensure(names: Iterable<ShapeName>): Promise<void> {
    const all = [...names]
    const missing = all.filter((name) => !this.#existing.has(this.#tableName(name)))
    if (missing.length > 0) {
      await this.#driver.script(
        missing.map((name) => createStageTable(this.table(name), shapeOf(name).columns)).join(';'),
      )
      for (const name of missing) this.#existing.add(this.#tableName(name))
    }
    for (const name of all) if (!this.#rows.has(name)) this.#rows.set(name, 0)
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
    for (const name of this.#rows.keys()) {
      const { rows, bytes } = this.#used.get(name) ?? { rows: 0, bytes: 0 }
      const isMany = rows > TRUNCATE_ABOVE_ROWS || bytes > TRUNCATE_ABOVE_BYTES
      statements.push(isMany ? `TRUNCATE ${this.table(name)}` : `DELETE FROM ${this.table(name)}`)
      if (isMany) this.#used.delete(name)
    }
    this.#rows.clear()
    if (statements.length > 0) await this.#driver.script(statements.join(';'))
  }

  #tableName(name: ShapeName): string {
    return `${this.#name}_${name}`
  }
}
