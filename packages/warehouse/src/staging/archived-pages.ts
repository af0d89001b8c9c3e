import type { PageStore, StoredPage } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { storedId } from '../records/text.ts'
import { PageTable } from './page-table.ts'

/**
 * The checkpoint of archived lists: pages that a run keeps, so that a run that resumes it continues after the last of them. They are
 * those of the latest run and of the runs that it resumed: a run that resumes none begins by removing them.
 */
export class ArchivedPages {
  readonly #table: PageTable
  /** Projects of which earlier runs left pages, as their ids are stored. */
  readonly #left: Pick<Set<string>, 'has' | 'delete' | 'size'>
  readonly #open = new Map<string, ProjectPages>()

  private constructor(table: PageTable, left: Pick<Set<string>, 'has' | 'delete' | 'size'>) {
    this.#table = table
    this.#left = left
  }

  /** @param resumes keeps the pages of earlier runs */
  static async open(driver: Driver, schema: SchemaNames, resumes: boolean): Promise<ArchivedPages> {
    const table = new PageTable(driver, schema)
    const pids = await table.pids()
    if (pids.length > 0 && !resumes) await table.clear()
    return new ArchivedPages(table, new Set(resumes ? pids : []))
  }

  /** For a worker: other processes of the run may leave pages of any project at any time. */
  static async shared(driver: Driver, schema: SchemaNames): Promise<ArchivedPages> {
    const table = new PageTable(driver, schema)
    await table.make()
    return new ArchivedPages(table, { has: () => true, delete: () => true, size: 0 })
  }

  of(pid: string): PageStore {
    return this.#of(storedId(pid))
  }

  /** Removes the pages of a project whose list was read, completely or not. */
  async forget(pid: string): Promise<void> {
    const key = storedId(pid)
    if (!this.#open.has(key) && !this.#left.has(key)) return
    await this.#of(key).forget()
    this.#open.delete(key)
    this.#left.delete(key)
  }

  /**
   * Call it when the run ends. A run that can be resumed keeps the pages of unfinished lists; any other run keeps none.
   */
  async end(isResumable: boolean): Promise<void> {
    if (isResumable) for (const pages of this.#open.values()) await pages.flush()
    else if (this.#left.size > 0) await this.#table.clear()
  }

  #of(key: string): ProjectPages {
    const pages = this.#open.get(key) ?? new ProjectPages(this.#table, key, this.#left.has(key))
    this.#open.set(key, pages)
    return pages
  }
}

/** Pages that are read or written at once, some 50 kB; most lists are shorter and are never written. */
const GROUP_PAGES = 20

/** The longest time between two writes: a killed process loses no more than that of a slow list. */
const GROUP_MS = 2000

/** The pages of one project's archived list. They are written in groups, one under way while the next gathers. */
export class ProjectPages implements PageStore {
  readonly #table: PageTable
  readonly #pid: string
  #isStored: boolean
  #waiting: StoredPage[] = []
  #since = 0
  #writing: Promise<void> = Promise.resolve()
  #isWriting = false
  #failed: { readonly error: unknown } | undefined
  /** Whether rows of an earlier reading may have the page numbers that this one writes. */
  #isOvergrown: boolean

  /** @param pid as it is stored */
  constructor(table: PageTable, pid: string, isStored: boolean) {
    this.#table = table
    this.#pid = pid
    this.#isStored = isStored
    this.#isOvergrown = isStored
  }

  async *pages(): AsyncGenerator<StoredPage> {
    let last = 0
    while (this.#isStored) {
      const group = await this.#table.read(this.#pid, last, GROUP_PAGES)
      yield* group
      if (group.length < GROUP_PAGES) return
      last = group.at(-1)?.page ?? last
    }
  }

  async save(page: StoredPage): Promise<void> {
    this.#throwIfFailed()
    if (this.#waiting.length === 0) this.#since = performance.now()
    this.#waiting.push(page)
    if (this.#waiting.length < GROUP_PAGES) {
      if (this.#isWriting || performance.now() - this.#since < GROUP_MS) return
    }
    await this.#writing
    this.#throwIfFailed()
    this.#writing = this.#write()
  }

  async flush(): Promise<void> {
    await this.#writing
    this.#throwIfFailed()
    if (this.#waiting.length > 0) await this.#write()
    this.#throwIfFailed()
  }

  /** Deletes all pages; none may be saved any more. */
  async forget(): Promise<void> {
    this.#waiting = []
    await this.#writing
    if (this.#isStored) await this.#table.drop(this.#pid, 1)
    this.#isStored = false
  }

  async #write(): Promise<void> {
    const pages = this.#waiting
    this.#waiting = []
    this.#isWriting = true
    try {
      if (this.#isOvergrown) await this.#table.drop(this.#pid, pages[0]?.page ?? 1)
      this.#isOvergrown = false
      this.#isStored = true
      await this.#table.write(this.#pid, pages)
    } catch (error) {
      // thrown by the next call: this promise may not be awaited by then
      this.#failed = { error }
    } finally {
      this.#isWriting = false
    }
  }

  #throwIfFailed(): void {
    if (this.#failed) throw this.#failed.error
  }
}
