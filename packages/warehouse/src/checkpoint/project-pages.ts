import type { PageStore, StoredPage } from '@collab-etl/contract/streams'
import type { PageTable } from './page-table.ts'

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

  /** Writes what waits. */
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
