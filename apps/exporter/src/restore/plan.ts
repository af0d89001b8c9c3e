import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { LinkPattern } from '@collab-etl/core'
import { resolveParents } from '@collab-etl/documents'
import { type FurtherValue, valueOfEvent, valuesOf } from './further/values.ts'
import { type BackupRecord, type EventItem, type FurtherKind, listIn, type RestoreItem, textIn } from './item.ts'
import type { BackupRecords, PlacedRecord } from './records.ts'
import { countUnrestorable, noneUnrestorable, type Unrestorable } from './unrestorable.ts'

/** The records to create, in order, and what cannot be created. */
export interface Plan {
  readonly items: readonly RestoreItem[]
  /** In the order of their ids. */
  readonly groups: readonly TaskGroup[]
  /** What the documented operations cannot create. */
  readonly unrestorable: Unrestorable
  /** Events, the earliest first, if the service offers to create them. */
  readonly events: readonly EventItem[]
  /** Numbers of values of the items that can be restored where the service offers it. */
  readonly further: Readonly<Partial<Record<FurtherKind, number>>>
  /** Members of the tasks to create, by their ids. */
  readonly members: ReadonlyMap<string, TaskMember>
}

interface TaskMember {
  readonly name: string
  readonly tasks: number
}

/** A task group of the backup, known from its tasks or from the list of groups. */
export interface TaskGroup {
  /** Empty for tasks without a group. */
  readonly id: string
  /** Usually one: a group may have been renamed while its tasks were read. */
  readonly names: ReadonlySet<string>
  /** Number of tasks to create: 0 if it has only archived tasks, which are left out. */
  readonly tasks: number
  /** Its place in the list of groups; `null` if the backup has no list, or the list does not have it. */
  readonly position: number | null
}

/** Whether a group is in the list of groups only: it has no tasks to create. */
export function isEmpty({ tasks, position }: TaskGroup): boolean {
  return tasks === 0 && position !== null
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
  const further: Partial<Record<FurtherKind, number>> = {}
  const members = new Map<string, TaskMember>()
  for await (const { record } of records.further('entries')) addListed(groups, record)
  const events = await eventsOf(records, further, unrestorable)
  for await (const placed of records.all()) {
    const group = placed.kind === 'task' ? groupOf(groups, placed.record) : null
    if (placed.archived && !withArchived) {
      unrestorable.archived_tasks += 1
      continue
    }
    countUnrestorable(unrestorable, placed, { pid, patterns: links })
    if (group !== null) group.tasks += 1
    count(further, valuesOf(placed, placed))
    for (const member of placed.kind === 'task' ? listIn(placed.record, 'members') : []) addMember(members, member)
    lists[placed.kind].push(itemOf(placed, group?.id ?? ''))
  }
  const tree = parentsFirst(pages)
  unrestorable.parents = tree.problems
  return {
    items: [...tree.items, ...posts.sort(compareItems), ...tasks.sort(compareItems)],
    groups: [...groups.values()].sort((a, b) => compareBytes(a.id, b.id)),
    unrestorable,
    events,
    further,
    members,
  }
}

function count(further: Partial<Record<FurtherKind, number>>, values: readonly FurtherValue[]): void {
  for (const { kind } of values) further[kind] = (further[kind] ?? 0) + 1
}

function addMember(members: Map<string, TaskMember>, member: BackupRecord): void {
  const uid = textIn(member, 'uid')
  if (uid === null) return
  const name = textIn(member, 'display_name') || textIn(member, 'name') || uid
  members.set(uid, { name, tasks: (members.get(uid)?.tasks ?? 0) + 1 })
}

async function eventsOf(
  records: BackupRecords,
  further: Partial<Record<FurtherKind, number>>,
  unrestorable: Unrestorable,
): Promise<EventItem[]> {
  const events: EventItem[] = []
  const ids = new Set<string>()
  for await (const { record, place } of records.further('events')) {
    const value = valueOfEvent(record)
    // An event that was moved while it was read may be there twice.
    if (value === null || ids.has(value.id)) continue
    ids.add(value.id)
    if (hasDetails(record)) unrestorable.event_details += 1
    count(further, [value])
    events.push({ kind: 'event', id: value.id, title: value.name, place, start: value.under })
  }
  return events.sort((a, b) => compareBytes(a.start, b.start) || compareBytes(a.id, b.id))
}

/** Whether an event has what cannot be sent. */
function hasDetails(event: BackupRecord): boolean {
  const { recurrence } = event
  const isRecurring = typeof recurrence === 'number' && recurrence > 0
  return (
    isRecurring || listIn(event, 'attendees').length > 0 || Boolean(textIn(event, 'summary') || textIn(event, 'desc'))
  )
}

/** A group of which more tasks may follow. */
interface OpenGroup extends TaskGroup {
  readonly names: Set<string>
  tasks: number
  position: number | null
}

/** The group of a task, also of one that is left out: a group of archived tasks may be named too. */
function groupOf(groups: Map<string, OpenGroup>, task: BackupRecord): OpenGroup {
  const id = textIn(task, 'entry_id') ?? ''
  const group = openGroup(groups, id)
  const name = textIn(task, 'entry_name')
  if (id !== '' && name !== null && name !== '') group.names.add(name)
  return group
}

function openGroup(groups: Map<string, OpenGroup>, id: string): OpenGroup {
  const group = groups.get(id) ?? { id, names: new Set<string>(), tasks: 0, position: null }
  groups.set(id, group)
  return group
}

function addListed(groups: Map<string, OpenGroup>, entry: BackupRecord): void {
  const group = openGroup(groups, textIn(entry, 'entry_id') ?? '')
  const [name, position] = [textIn(entry, 'name'), entry['pos']]
  if (name !== null && name !== '') group.names.add(name)
  group.position = typeof position === 'number' ? position : groups.size
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
