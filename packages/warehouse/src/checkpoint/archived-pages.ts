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

  /** @param resumes whether what earlier runs left is kept */
  static async open(driver: Driver, schema: SchemaNames, resumes: boolean): Promise<ArchivedPages> {
    const table = new PageTable(driver, schema)
    const pids = await table.pids()
    if (pids.length > 0 && !resumes) await table.clear()
    return new ArchivedPages(table, new Set(resumes ? pids : []))
  }

  of(pid: string): PageStore {
    return this.#of(storedPid(pid))
  }

  /** Removes the pages of a project: its walk has ended, well or not. */
  async forget(pid: string): Promise<void> {
    const key = storedPid(pid)
    if (!this.#open.has(key) && !this.#left.has(key)) return
    await this.#of(key).forget()
    this.#open.delete(key)
    this.#left.delete(key)
  }

  /**
   * To be called when the run ends. One that can be resumed keeps what it read of walks that are not at their end; after
   * any other, nothing is left.
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
