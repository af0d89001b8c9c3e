import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { LinkPattern } from '@collab-etl/core'
import { resolveParents } from '@collab-etl/documents'
import { type RestoreItem, textIn } from './item.ts'
import type { BackupRecords, PlacedRecord } from './read-records.ts'
import { countUnrestorable, noneUnrestorable, type Unrestorable } from './unrestorable.ts'

/** The records to create, in order, and what cannot be created. */
export interface Plan {
  readonly items: readonly RestoreItem[]
  readonly unrestorable: Unrestorable
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
  for await (const placed of records.all()) {
    if (placed.archived && !withArchived) {
      unrestorable.archived_tasks += 1
      continue
    }
    countUnrestorable(unrestorable, placed.kind, placed.record, { pid, patterns: links })
    lists[placed.kind].push(itemOf(placed))
  }
  const tree = parentsFirst(pages)
  unrestorable.parents = tree.problems
  return { items: [...tree.items, ...posts.sort(compareItems), ...tasks.sort(compareItems)], unrestorable }
}

function itemOf({ kind, record, place }: PlacedRecord): RestoreItem {
  const id = textIn(record, { page: 'page_id', post: 'post_id', task: 'tid' }[kind]) ?? ''
  const position = kind === 'task' ? record['pos'] : null
  return {
    ...{ kind, id, place, title: textIn(record, 'name') },
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
