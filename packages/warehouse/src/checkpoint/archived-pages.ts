import type { PageStore } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { PageTable, storedPid } from './page-table.ts'
import { ProjectPages } from './project-pages.ts'

/**
 * The checkpoint of archived lists: pages that a run keeps, so that a run that resumes it continues after the last of them. They are
 * those of the latest run and of the runs that it resumed: a run that resumes none begins by removing them.
 */
export class ArchivedPages {
  readonly #table: PageTable
  /** Projects of which earlier runs left pages, as their ids are stored. */
  readonly #left: Set<string>
  readonly #open = new Map<string, ProjectPages>()

  private constructor(table: PageTable, left: Set<string>) {
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

  of(pid: string): PageStore {
    return this.#of(storedPid(pid))
  }

  /** Removes the pages of a project whose list was read, completely or not. */
  async forget(pid: string): Promise<void> {
    const key = storedPid(pid)
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
