import { createHash } from 'node:crypto'
import { compareRecords, join } from './order.ts'
import type { DiffRecord, Placing, RecordKind, Records } from './record.ts'

export const CHANGES = ['added', 'removed', 'moved', 'renamed', 'changed'] as const

export type ChangeName = (typeof CHANGES)[number]

/** Project, parent and title of a record. */
interface Place {
  readonly pid: string
  readonly parent_id: string | null
  readonly title: string | null
}

/** How a record changed between two backups. */
export interface Change {
  readonly kind: RecordKind
  readonly id: string
  /** Only one if added or removed; any combination of the others. */
  readonly changes: readonly ChangeName[]
  /** `null` if it was added. */
  readonly before: Place | null
  /** `null` if it was removed. */
  readonly after: Place | null
  /** Changed fields: `content`, `comments`, and names of other columns and of lists. */
  readonly fields: readonly string[]
  /** Numbers of comments of a post or a task, or of a file in JSON lines, before and after. */
  readonly comments: { readonly before: number | null; readonly after: number | null } | null
  /** Of the later record. */
  readonly placing: Placing | null
}

/** The project under which a change is reported. */
export function projectOf({ before, after }: Change): string {
  return after?.pid ?? before?.pid ?? ''
}

/** Longer texts are kept as digests, because only their equality matters. */
const KEPT_LENGTH = 64

/**
 * The changes of all records, in order. A record removed from one project and added to another under the same id was moved. Memory
 * grows only with the number of changes.
 */
export async function findChanges(before: Records, after: Records): Promise<Change[]> {
  const changes: Change[] = []
  const removed = new Map<string, DiffRecord[]>()
  const added = new Map<string, DiffRecord[]>()
  for await (const [a, b] of join(before, after)) {
    if (a && b) {
      const change = changeOf(a, b)
      if (change.changes.length > 0) changes.push(change)
    } else if (a) put(removed, a)
    else if (b) put(added, b)
  }
  for (const [key, gone] of removed) {
    const [a, ...others] = gone
    const [b, ...more] = added.get(key) ?? []
    // If an id left or entered several projects, moves cannot be determined.
    if (!(a && b) || others.length > 0 || more.length > 0) continue
    changes.push(changeOf(a, b))
    removed.delete(key)
    added.delete(key)
  }
  for (const record of [...removed.values()].flat()) changes.push(alone(record, 'removed'))
  for (const record of [...added.values()].flat()) changes.push(alone(record, 'added'))
  return changes.sort((a, b) => compareRecords({ ...a, pid: projectOf(a) }, { ...b, pid: projectOf(b) }))
}

function put(records: Map<string, DiffRecord[]>, record: DiffRecord): void {
  const key = `${record.kind} ${record.id}`
  const kept = shortened(record)
  const others = records.get(key)
  if (others) others.push(kept)
  else records.set(key, [kept])
}

/** A record with digests instead of long texts. */
function shortened(record: DiffRecord): DiffRecord {
  const short = (text: string | null) =>
    text === null || text.length <= KEPT_LENGTH ? text : `sha256 ${createHash('sha256').update(text).digest('base64')}`
  const fields = Object.entries(record.fields).map(([name, text]) => [name, short(text)])
  return { ...record, content: short(record.content), fields: Object.fromEntries(fields) }
}

function changeOf(a: DiffRecord, b: DiffRecord): Change {
  const names = [...new Set([...Object.keys(a.fields), ...Object.keys(b.fields)])]
  const fields = [
    ...(a.content === b.content ? [] : ['content']),
    ...(a.comments?.digest === b.comments?.digest ? [] : ['comments']),
    ...names.filter((name) => (a.fields[name] ?? null) !== (b.fields[name] ?? null)),
  ]
  const is: Record<ChangeName, boolean> = {
    added: false,
    removed: false,
    moved: a.pid !== b.pid || a.parentId !== b.parentId,
    renamed: a.title !== b.title,
    changed: fields.length > 0,
  }
  return { ...ends(a, b), changes: CHANGES.filter((name) => is[name]), fields }
}

function alone(record: DiffRecord, name: 'added' | 'removed'): Change {
  const found = name === 'added' ? ends(null, record) : ends(record, null)
  return { ...found, changes: [name], fields: [] }
}

function ends(a: DiffRecord | null, b: DiffRecord | null): Omit<Change, 'changes' | 'fields'> {
  const either = b ?? a
  return {
    kind: either?.kind ?? 'page',
    id: either?.id ?? '',
    before: a && placeOf(a),
    after: b && placeOf(b),
    placing: b?.placing ?? null,
    comments:
      a?.comments || b?.comments ? { before: a?.comments?.count ?? null, after: b?.comments?.count ?? null } : null,
  }
}

function placeOf({ pid, parentId, title }: DiffRecord): Place {
  return { pid, parent_id: parentId, title }
}

/** What `parentId` of a record is. */
const PLACE_WORDS: Partial<Record<RecordKind, string>> = { page: 'parent page:', task: 'task group:', file: 'folder:' }

/** Words and a value, or the values before and after: `['folder:', null, 'F1']`. The name of a changed field is alone. */
type ChangeDetail = readonly [words: string, ...values: (string | null)[]]

/** What changed in a record besides its being added or removed. */
export function detailsOf({ kind, changes, before, after, fields, comments }: Change): ChangeDetail[] {
  const parts: ChangeDetail[] = []
  if (before && after && before.pid !== after.pid) parts.push(['from project', before.pid])
  if (before && after && before.parent_id !== after.parent_id) {
    parts.push([PLACE_WORDS[kind] ?? 'parent:', before.parent_id, after.parent_id])
  }
  if (changes.includes('renamed')) parts.push(['formerly', JSON.stringify(before?.title ?? 'untitled')])
  // The update time is shown only if nothing else changed.
  const shown = fields.filter((field) => field !== 'updated_at' || changes.length + fields.length === 2)
  for (const field of shown) {
    const isCount = field === 'comments' && comments && comments.before !== comments.after
    parts.push(isCount ? ['comments', `${comments.before ?? 0}`, `${comments.after ?? 0}`] : [field])
  }
  return parts
}
