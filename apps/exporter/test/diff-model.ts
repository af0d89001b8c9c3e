import { type Change, type ChangeName, RECORD_KINDS, type RecordKind } from '@collab-etl/backups/compare'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import fc from 'fast-check'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { commentRow, eventRow, fileRow, handMadeSource, pageRow, postRow, projectRow, taskRow } from './rows.ts'

/** A record of a made-up service. */
interface ModelRecord {
  readonly kind: RecordKind
  readonly pid: string
  readonly id: string
  readonly title: string | null
  readonly parent: string | null
  readonly content: string
  readonly owner: string | null
  readonly comments: readonly string[]
}

export type Model = readonly ModelRecord[]

/** Beyond U+FFFF comes after U+FFEE by bytes, though not by UTF-16 units; the capital makes a name of its own. */
const IDS = ['a', 'B', 'b', 'ﾮ', '𝒳', '-']
const PIDS = ['P1', 'p2', '文']

const text = fc.oneof(
  fc.constantFrom('', '=1', "'=1", 'a', '"', 'a\r\nb', 'x;y,z\t', ' ', '---\n', '\uFEFFx'),
  fc.string({ unit: 'grapheme', maxLength: 5 }),
)

const record: fc.Arbitrary<ModelRecord> = fc
  .record({
    kind: fc.constantFrom(...RECORD_KINDS),
    pid: fc.constantFrom(...PIDS),
    id: fc.constantFrom(...IDS),
    title: fc.option(text),
    parent: fc.option(fc.constantFrom(...IDS)),
    content: text,
    owner: fc.constantFrom(null, 'u1'),
    // often the same in two states, as those of a post that moved are
    comments: fc.array(fc.oneof(fc.constantFrom('c', '"'), text), { maxLength: 2 }),
  })
  .map((made) => ({
    ...made,
    ...(made.kind !== 'post' && { comments: [] }),
    ...((made.kind === 'post' || made.kind === 'event') && { parent: null }),
  }))

/** A state of the service: each record once. */
export const model: fc.Arbitrary<Model> = fc.uniqueArray(record, {
  selector: ({ kind, pid, id }) => `${kind} ${pid} ${id}`,
  maxLength: 12,
})

/** The state as a source of backups. */
export function sourceOf(records: Model): BackupRows {
  const ordered = records.toSorted((a, b) => compareBytes(a.pid, b.pid) || compareBytes(a.id, b.id))
  const of = (wanted: RecordKind) => ordered.filter(({ kind }) => kind === wanted)
  const [pages, posts, tasks, events] = [of('page'), of('post'), of('task'), of('event')]
  const at = { starts_at: '2024-05-01T09:00:00.000Z' }
  return handMadeSource({
    tables: {
      projects: PIDS.map((pid) => projectRow(pid, `Project ${pid}`)),
      pages: pages.map(({ pid, id, title, parent, content, owner }) =>
        pageRow(pid, id, title, { parent_id: parent, content, owner_uid: owner }),
      ),
      posts: posts.map(({ pid, id, title, content, owner }) => postRow(pid, id, title, { content, owner_uid: owner })),
      post_comments: posts.flatMap(({ pid, id, comments }) =>
        comments.map((raw_message, index) => commentRow(pid, id, `c${index}`, { raw_message })),
      ),
      tasks: tasks.map(({ pid, id, title, parent, content }) =>
        taskRow(pid, id, title, { entry_id: parent, description: content }),
      ),
      task_members: tasks.flatMap(({ pid, id, owner }) => (owner === null ? [] : [{ pid, tid: id, uid: owner }])),
      events: events.map(({ pid, id, title, content }) => eventRow(pid, id, at.starts_at, title, { summary: content })),
      event_attendees: events.flatMap(({ pid, id, owner }) =>
        owner === null ? [] : [{ pid, event_id: id, ...at, uid: owner }],
      ),
      files: of('file').map(({ pid, id, title, parent, content, owner }) =>
        fileRow(pid, id, title, { folder_id: parent, description: content, owner_uid: owner }),
      ),
    },
  })
}

/** The changes of the records as they are reported in a format, found in the simplest way. */
export function changesOf(before: Model, after: Model, format: string): Change[] {
  const at = (records: Model, wanted: ModelRecord) =>
    records.find(({ kind, pid, id }) => kind === wanted.kind && pid === wanted.pid && id === wanted.id)
  const gone = before.filter((record) => !at(after, record))
  const fresh = after.filter((record) => !at(before, record))
  const same = (a: ModelRecord) => (b: ModelRecord) => a.kind === b.kind && a.id === b.id
  const pairs: [ModelRecord | null, ModelRecord | null][] = before.flatMap((record) => {
    const other = at(after, record)
    return other ? [[record, other]] : []
  })
  const isMove = (record: ModelRecord) =>
    gone.filter(same(record)).length === 1 && fresh.filter(same(record)).length === 1
  for (const record of gone) pairs.push([record, isMove(record) ? (fresh.find(same(record)) ?? null) : null])
  for (const record of fresh) if (!isMove(record)) pairs.push([null, record])
  return pairs
    .map(([a, b]) => changeOf(a, b, format))
    .filter(({ changes }) => changes.length > 0)
    .sort((a, b) => compareBytes(keyOf(a), keyOf(b)))
}

export function keyOf({ before, after, kind, id }: Change): string {
  return [after?.pid ?? before?.pid, kind, id].join(' ')
}

function changeOf(a: ModelRecord | null, b: ModelRecord | null, format: string): Change {
  const either = b ?? a
  const fields = a && b ? differingFields(a, b) : []
  const changes: ChangeName[] = []
  if (a === null) changes.push('added')
  if (b === null) changes.push('removed')
  if (a && b && (a.pid !== b.pid || a.parent !== b.parent)) changes.push('moved')
  if (a && b && a.title !== b.title) changes.push('renamed')
  if (fields.length > 0) changes.push('changed')
  return {
    kind: either?.kind ?? 'page',
    id: either?.id ?? '',
    changes,
    fields,
    before: a && { pid: a.pid, parent_id: a.parent, title: a.title },
    after: b && { pid: b.pid, parent_id: b.parent, title: b.title },
    placing: null, // a test of the report covers it
    comments:
      either?.kind === 'post' || (either?.kind === 'file' && format === 'jsonl')
        ? { before: a?.comments.length ?? null, after: b?.comments.length ?? null }
        : null,
  }
}

function differingFields(a: ModelRecord, b: ModelRecord): string[] {
  const fields: string[] = []
  const text = { page: 'content', post: 'content', task: 'content', event: 'summary', file: 'description' }
  const person = { page: 'owner_uid', post: 'owner_uid', task: 'members', event: 'attendees', file: 'owner_uid' }
  if (a.content !== b.content) fields.push(text[a.kind])
  if (JSON.stringify(a.comments) !== JSON.stringify(b.comments)) fields.push('comments')
  if (a.owner !== b.owner) fields.push(person[a.kind])
  return fields
}
