import { NumberColumn, TextColumn } from '../../columns.ts'
import type { TextStore } from '../../format.ts'
import { StoredTexts } from '../../stored-texts.ts'
import { archiveTime } from '../../views/task.ts'
import type { TaskRow } from '../list-rows.ts'
import type { TaskGroups } from '../task-groups.ts'

const COMPLETED = 1
const ARCHIVED = 2

/** The rows of a project's tasks: in a store, as a project may have 100,000; memory holds what they are ordered by, 50 bytes each. */
export class TaskRows {
  readonly #rows: StoredTexts
  readonly #groups: TaskGroups
  readonly #orders = new NumberColumn()
  readonly #positions = new NumberColumn()
  readonly #states = new NumberColumn()
  /** `archiveTime` of archived tasks; empty without it. */
  readonly #times = new TextColumn()

  constructor(texts: TextStore, groups: TaskGroups) {
    this.#rows = new StoredTexts(texts)
    this.#groups = groups
  }

  get length(): number {
    return this.#rows.length
  }

  /** Its group must be among the groups. */
  async add(row: TaskRow): Promise<void> {
    const { group, position, completed, archived } = row
    this.#orders.push(this.#groups.orderOf(group))
    this.#positions.push(position ?? Number.POSITIVE_INFINITY)
    this.#states.push((completed ? COMPLETED : 0) | (archived ? ARCHIVED : 0))
    this.#times.push(archived ? (archiveTime(row) ?? '') : '')
    await this.#rows.add(JSON.stringify(row))
  }

  async at(index: number): Promise<TaskRow> {
    return JSON.parse(await this.#rows.at(index)) as TaskRow // `add` wrote it
  }

  isCompleted(index: number): boolean {
    return (this.#states.at(index) & COMPLETED) !== 0
  }

  /** The order of its group, see `TaskGroups.orderOf`. */
  orderAt(index: number): number {
    return this.#orders.at(index)
  }

  /** What `archiveYear` needs to know of an archived task. */
  timesAt(index: number): { readonly updatedAt: string | null; readonly createdAt: null } {
    return { updatedAt: this.#times.at(index) || null, createdAt: null }
  }

  /** Tasks on the board by group and position; archived ones, the last updated first. */
  sorted(): { current: Uint32Array; archived: Uint32Array } {
    const { current = [], archived = [] } = Object.groupBy(Array(this.length).keys(), (index) =>
      (this.#states.at(index) & ARCHIVED) === 0 ? 'current' : 'archived',
    )
    return {
      current: Uint32Array.from(current).sort(
        (a, b) => this.#orders.compare(a, b) || this.#positions.compare(a, b) || a - b,
      ),
      archived: Uint32Array.from(archived).sort((a, b) => this.#times.compare(b, a) || a - b),
    }
  }
}
