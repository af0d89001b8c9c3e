import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { LinkPattern } from '@collab-etl/core'
import { resolveParents } from '@collab-etl/documents'
import { type BackupRecord, type RestoreItem, textIn } from './item.ts'
import type { BackupRecords, PlacedRecord } from './records.ts'
import { countUnrestorable, noneUnrestorable, type Unrestorable } from './unrestorable.ts'

/** The records to create, in order, and what cannot be created. */
export interface Plan {
  readonly items: readonly RestoreItem[]
  /** In the order of their ids. */
  readonly groups: readonly TaskGroup[]
  readonly unrestorable: Unrestorable
}

/** A task group of the backup, known from its tasks. */
export interface TaskGroup {
  /** Empty for tasks without a group. */
  readonly id: string
  /** Usually one: a group may have been renamed while its tasks were read. */
  readonly names: ReadonlySet<string>
  /** Number of tasks to create: 0 if it has only archived tasks, which are left out. */
  readonly tasks: number
}

export interface PlanOptions {
  readonly pid: string
  readonly withArchived: boolean
  readonly links: readonly LinkPattern[]
}

/** Plans a restore in one pass over the records. Keeps the position of each record, not its contents. */
export async function makePlan(records: BackupRecords, { pid, withArchived, links }: PlanOptions): Promise<Plan> {
  const unrestorable = noneUnrestorable()
  const pages: RestoreItem[] = []
  const posts: RestoreItem[] = []
  const tasks: RestoreItem[] = []
  const lists = { page: pages, post: posts, task: tasks }
  const groups = new Map<string, OpenGroup>()
  for await (const placed of records.all()) {
    const group = placed.kind === 'task' ? groupOf(groups, placed.record) : null
    if (placed.archived && !withArchived) {
      unrestorable.archived_tasks += 1
      continue
    }
    countUnrestorable(unrestorable, placed.kind, placed.record, { pid, patterns: links })
    if (group !== null) group.tasks += 1
    lists[placed.kind].push(itemOf(placed, group?.id ?? ''))
  }
  const tree = parentsFirst(pages)
  unrestorable.parents = tree.problems
  return {
    items: [...tree.items, ...posts.sort(compareItems), ...tasks.sort(compareItems)],
    groups: [...groups.values()].sort((a, b) => compareBytes(a.id, b.id)),
    unrestorable,
  }
}

/** A group of which more tasks may follow. */
interface OpenGroup extends TaskGroup {
  readonly names: Set<string>
  tasks: number
}

/** The group of a task, also of one that is left out: a group of archived tasks may be named too. */
function groupOf(groups: Map<string, OpenGroup>, task: BackupRecord): OpenGroup {
  const id = textIn(task, 'entry_id') ?? ''
  const group = groups.get(id) ?? { id, names: new Set<string>(), tasks: 0 }
  groups.set(id, group)
  const name = textIn(task, 'entry_name')
  if (id !== '' && name !== null && name !== '') group.names.add(name)
  return group
}

function itemOf({ kind, record, place }: PlacedRecord, entryId: string): RestoreItem {
  const id = textIn(record, { page: 'page_id', post: 'post_id', task: 'tid' }[kind]) ?? ''
  const position = kind === 'task' ? record['pos'] : null
  return {
    kind,
    id,
    place,
    title: textIn(record, 'name'),
    entryId,
    parentId: (kind === 'page' && textIn(record, 'parent_id')) || null,
    order: {
      number: typeof position === 'number' ? position : Number.POSITIVE_INFINITY,
      text: textIn(record, 'created_at') ?? '~',
    },
  }
}

/** Creating siblings in this order preserves their order as far as possible. */
function compareItems(a: RestoreItem, b: RestoreItem): number {
  const byNumber = a.order.number === b.order.number ? 0 : a.order.number - b.order.number
  return byNumber || compareBytes(a.order.text, b.order.text) || compareBytes(a.id, b.id)
}

/** Pages level by level, so that parents come before their children. */
function parentsFirst(pages: readonly RestoreItem[]): { items: RestoreItem[]; problems: number } {
  const heads = pages.map(({ id, parentId, title }) => ({ id, parentId, title, updatedAt: null }))
  const { parents, problems } = resolveParents(heads)
  const children = new Map<number, RestoreItem[]>()
  const indexes = new Map(pages.map((page, index) => [page.id, index]))
  for (const [index, page] of pages.entries()) {
    const parent = parents[index] ?? -1
    const item = parent === -1 ? { ...page, parentId: null } : page
    const siblings = children.get(parent)
    if (siblings) siblings.push(item)
    else children.set(parent, [item])
  }
  const items: RestoreItem[] = [...(children.get(-1) ?? [])].sort(compareItems)
  // The list grows during iteration: appended pages are the next level.
  for (const item of items) {
    const below = children.get(indexes.get(item.id) ?? -1) ?? []
    for (const child of below.sort(compareItems)) items.push(child)
  }
  return { items, problems: problems.length }
}
