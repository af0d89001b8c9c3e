import type { PageStore, StoredPage } from '@collab-etl/contract/streams'
import { type Driver, hasTable, records } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'

/**
 * The checkpoint of archived lists: pages that a run keeps, so that a run that resumes it continues after the last of them. They are
 * those of the latest run and of the runs that it resumed: a run that resumes none begins by removing them.
 */
export class Checkpoints {
  readonly #table: PageTable
  /** Projects of which earlier runs, or other processes of this one, may have left pages; as their ids are stored. */
  readonly #left: Set<string>
  readonly #open = new Map<string, ProjectPages>()

  private constructor(table: PageTable, left: Set<string>) {
    this.#table = table
    this.#left = left
  }

  /** @param resumes keeps the pages of earlier runs */
  static async open(driver: Driver, schema: SchemaNames, resumes: boolean): Promise<Checkpoints> {
    const table = new PageTable(driver, schema)
    const pids = await table.pids()
    if (pids.length > 0 && !resumes) await table.clear()
    return new Checkpoints(table, new Set(resumes ? pids : []))
  }

  /** For a worker: with the pages that are there when it joins. Those that other workers leave later must be announced by `expect`. */
  static async shared(driver: Driver, schema: SchemaNames): Promise<Checkpoints> {
    const table = new PageTable(driver, schema)
    await table.make()
    return new Checkpoints(table, new Set(await table.pids()))
  }

  /** Says that another process may have left pages of a project. */
  expect(pid: string): void {
    const key = storedId(pid)
    this.#left.add(key)
    this.#open.delete(key)
  }

  of(pid: string): PageStore {
    const key = storedId(pid)
    const pages = this.#open.get(key) ?? new ProjectPages(this.#table, key, this.#left.has(key))
    this.#open.set(key, pages)
    return pages
  }

  /** Removes the pages of a project whose list was read, completely or not. */
  async forget(pid: string): Promise<void> {
    const key = storedId(pid)
    await this.#open.get(key)?.forget()
    this.#open.delete(key)
  }

  /** Call it when the run ends. A run that can be resumed keeps the pages of unfinished lists; any other run keeps none. */
  async end(isResumable: boolean): Promise<void> {
    if (isResumable) for (const pages of this.#open.values()) await pages.flush()
    else if (this.#left.size > 0) await this.#table.clear()
  }
}

/** Pages read or written at once, about 50 kB. Most lists end before the first write. */
const GROUP_PAGES = 20

/** Milliseconds after which waiting pages are written even if the group is not full, so that a killed process loses little of a slow list. */
const GROUP_MS = 2000

/** The pages of one project's archived list. */
class ProjectPages implements PageStore {
  readonly #table: PageTable
  readonly #pid: string
  #isStored: boolean
  #waiting: StoredPage[] = []
  #since = 0
  /** Whether rows of an earlier reading may have the page numbers that this one writes. */
  #isOvergrown: boolean

  /** @param pid as it is stored */
  constructor(table: PageTable, pid: string, isStored: boolean) {
    this.#table = table
    this.#pid = pid
    this.#isStored = isStored
    this.#isOvergrown = isStored
  }

  /** Begins a reading: of an earlier one that was broken off, only what was written stays. */
  async *pages(): AsyncGenerator<StoredPage> {
    this.#waiting = []
    this.#isOvergrown = this.#isStored
    let last = 0
    while (this.#isStored) {
      const group = await this.#table.read(this.#pid, last)
      yield* group
      if (group.length < GROUP_PAGES) return
      last = group.at(-1)?.page ?? last
    }
  }

  async save(page: StoredPage): Promise<void> {
    if (this.#waiting.length === 0) this.#since = performance.now()
    this.#waiting.push(page)
    if (this.#waiting.length === GROUP_PAGES || performance.now() - this.#since >= GROUP_MS) await this.flush()
  }

  async flush(): Promise<void> {
    const pages = this.#waiting
    if (pages.length === 0) return
    this.#waiting = []
    if (this.#isOvergrown) await this.#table.drop(this.#pid, pages[0]?.page ?? 1)
    this.#isOvergrown = false
    this.#isStored = true
    await this.#table.write(this.#pid, pages)
  }

  /** Deletes all pages; none may be saved any more. */
  async forget(): Promise<void> {
    this.#waiting = []
    if (this.#isStored) await this.#table.drop(this.#pid, 1)
    this.#isStored = false
  }
}

/**
 * The table of pages. It is in the staging schema, because no version of the tool reads what another version left there, but logged,
 * because it must outlive the process. Made when first written to.
 */
class PageTable {
  readonly #driver: Driver
  readonly #name: string
  #made: Promise<void> | undefined

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#name = `${schema.stage}.archived_pages`
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

  /** Ids of the projects of which it holds pages, as they are stored. */
  async pids(): Promise<string[]> {
    if (!(await hasTable(this.#driver, this.#name))) return []
    const { rows } = await this.#driver.query(`SELECT DISTINCT pid FROM ${this.#name}`)
    return rows.map(([pid]) => String(pid))
  }

  /** The next pages of a project behind `page`, in order. */
  async read(pid: string, page: number): Promise<StoredPage[]> {
    const found = await this.#driver.query(
      `SELECT page, size, base, ids FROM ${this.#name} WHERE pid = $1 AND page > $2 ORDER BY page LIMIT ${GROUP_PAGES}`,
      [pid, page],
    )
    return records<Omit<StoredPage, 'ids'> & { readonly ids: string }>(found).map((stored) => {
      return { ...stored, ids: JSON.parse(stored.ids) as string[] } // as `write` made it
    })
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
}
