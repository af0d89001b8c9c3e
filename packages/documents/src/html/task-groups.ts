import { oneLine } from '../one-line.ts'

/** A task group: a column of the board. */
export interface TaskGroup {
  /** `null`: of the tasks that are in no group. */
  readonly id: string | null
  readonly name: string | null
}

/**
 * The task groups of a project, in the order of their ids, which is that of their creation in the service; it does not give their order on
 * the board. Groups that only tasks name come after them, and last the tasks without a group.
 */
export class TaskGroups {
  readonly #groups = new Map<string, TaskGroup & { readonly order: number }>()

  /** Groups must be added in the order of their ids, before their tasks. */
  add(id: string, name: string | null): void {
    this.#groups.set(id.toWellFormed(), { id: id.toWellFormed(), name, order: this.#groups.size })
  }

  /** The group of an id that a task names. */
  of(id: string | null): TaskGroup {
    if (id === null) return NO_GROUP
    const known = this.#groups.get(id)
    if (known !== undefined) return known
    this.add(id, null)
    return { id, name: null }
  }

  /** The position of a group among all, for sorting. */
  orderOf(id: string | null): number {
    return id === null ? Number.MAX_SAFE_INTEGER : (this.#groups.get(id)?.order ?? Number.MAX_SAFE_INTEGER - 1)
  }

  /** Those with an id, in order. */
  all(): readonly TaskGroup[] {
    return [...this.#groups.values()]
  }
}

const NO_GROUP: TaskGroup = { id: null, name: null }

/** What a group is called. */
export function groupTitle({ id, name }: TaskGroup): string {
  return oneLine(name ?? '') || (id === null ? 'No group' : 'Unnamed group')
}

/** Whether the title is a placeholder, which the site translates. */
export function isUnnamed({ name }: TaskGroup): boolean {
  return oneLine(name ?? '') === ''
}
