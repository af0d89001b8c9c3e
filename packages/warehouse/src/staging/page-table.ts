import type { StoredPage } from '@collab-etl/contract/streams'
import { type Driver, hasTable } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/**
 * The table of pages of unfinished archived lists. It is in the staging schema, because no version of the tool reads what another
 * version left there, but logged, because it must outlive the process. Made when first written to.
 */
export class PageTable {
  readonly #driver: Driver
  readonly #name: string
  #made: Promise<void> | undefined

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#name = `${schema.stage}.archived_pages`
  }

  /** Ids of the projects of which it holds pages, as they are stored. */
  async pids(): Promise<string[]> {
    if (!(await hasTable(this.#driver, this.#name))) return []
    const { rows } = await this.#driver.query(`SELECT DISTINCT pid FROM ${this.#name}`)
    return rows.map(([pid]) => String(pid))
  }

  /** The pages of a project behind `page`, in order; at most `limit`. */
  async read(pid: string, page: number, limit: number): Promise<StoredPage[]> {
    const { rows } = await this.#driver.query(
      `SELECT page, size, base, ids FROM ${this.#name} WHERE pid = $1 AND page > $2 ORDER BY page LIMIT $3`,
      [pid, page, limit],
    )
    return rows.map(([number, size, base, ids]) => ({
      page: Number(number),
      size: Number(size),
      base: Number(base) === 0 ? 0 : 1,
      // as `write` made it
      ids: JSON.parse(String(ids)) as string[],
    }))
  }

  async write(pid: string, pages: readonly StoredPage[]): Promise<void> {
    await this.make()
    await this.#driver.query(
      `INSERT INTO ${this.#name} (pid, page, size, base, ids)
       SELECT $1, * FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::text[])
       ON CONFLICT (pid, page) DO UPDATE SET size = excluded.size, base = excluded.base, ids = excluded.ids`,
      [
        pid,
        pages.map(({ page }) => page),
        pages.map(({ size }) => size),
        pages.map(({ base }) => base),
        // JSON has an escape for every character that Postgres does not take
        pages.map(({ ids }) => JSON.stringify(ids)),
      ],
    )
  }

  /** Deletes the pages of a project from that one on. */
  async drop(pid: string, from: number): Promise<void> {
    await this.#driver.query(`DELETE FROM ${this.#name} WHERE pid = $1 AND page >= $2`, [pid, from])
  }

  async clear(): Promise<void> {
    await this.#driver.script(`TRUNCATE ${this.#name}`)
  }

  make(): Promise<void> {
    this.#made ??= this.#driver.script(
      `CREATE TABLE IF NOT EXISTS ${this.#name} (
         pid text COLLATE "C" NOT NULL, page integer NOT NULL, size integer NOT NULL, base integer NOT NULL, ids text NOT NULL,
         PRIMARY KEY (pid, page)
       )`,
    )
    return this.#made
  }
}
