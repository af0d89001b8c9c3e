import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { EPOCH } from '@collab-etl/contract/timestamp'
import {
  type BackupRecord,
  type CommentedRecord,
  type FurtherKind,
  listIn,
  nameOf,
  type RestoreItem,
  textIn,
} from '../item.ts'
import type { JournalState } from '../journal-state.ts'
import { DONE, isoTime, type Possible, type SentValue } from './kinds.ts'

/** A value of a record of the backup. */
export interface FurtherValue extends Pick<SentValue, 'name' | 'text'> {
  readonly kind: FurtherKind
  /** Identifies it in the journal: the id of its record, then its own id within the record. */
  readonly id: string
}

/** The service takes times of 13-digit milliseconds only. */
const [FIRST_TIME, LAST_TIME] = [1_000_000_000_000, 9_999_999_999_999]
const DAY = 86_400_000

/** The values of an item, in the order in which they are written; with `possible`, those that can be restored. */
export function valuesOf(
  { kind }: Pick<RestoreItem, 'kind'>,
  record: CommentedRecord,
  possible?: Possible,
): FurtherValue[] {
  const values = kind === 'page' ? [] : kind === 'task' ? valuesOfTask(record) : valuesOfPost(record)
  if (possible === undefined) return values
  const { kinds, members } = possible
  return values.filter(({ kind, name }) => kinds.has(kind) && (kind !== 'member' || members.has(name)))
}

/** Whether a value is a part of its record, as its title is; a comment is a record of its own. */
export function isOfRecord({ kind }: FurtherValue): boolean {
  return kind !== 'task_comment' && kind !== 'post_comment'
}

/** The name to send: of the state of a checklist item, the new id of the item; `null` if the item was not created. */
export function nameToSend({ kind, id, name }: FurtherValue, state: JournalState): string | null {
  if (kind !== 'todo_checked') return name
  const item = state.of({ call: 'todo', id })
  return item?.state === 'done' ? item.newId : null
}

/** Completing and archiving a task comes last. */
function valuesOfTask({ record, comments, archived }: CommentedRecord): FurtherValue[] {
  const tid = textIn(record, 'tid') ?? ''
  const value = (kind: FurtherKind, own: string | null, name: string, text = ''): FurtherValue => {
    return { kind, id: own === null ? tid : `${tid}/${own}`, name, text }
  }
  const due = isoTime(textIn(record, 'expire_date') ?? EPOCH)
  const labels = new Set(listIn(record, 'labels').flatMap((label) => textIn(label, 'name') || []))
  const uids = new Set(listIn(record, 'members').flatMap((member) => textIn(member, 'uid') || []))
  const todos = listIn(record, 'todos').toSorted((a, b) => Number(a['pos'] ?? 0) - Number(b['pos'] ?? 0))
  return [
    ...(isSendable(due) ? [value('due_date', null, due)] : []),
    ...[...labels].map((name) => value('label', name, name)),
    ...[...uids].map((uid) => value('member', uid, uid)),
    ...todos.flatMap((todo) => {
      const id = textIn(todo, 'todo_id') ?? ''
      const item = value('todo', id, nameOf({ title: textIn(todo, 'name') }))
      return todo['checked'] === 1 ? [item, value('todo_checked', id, '')] : [item]
    }),
    ...inOrder(comments).map((comment) => value('task_comment', textIn(comment, 'cid'), '', messageOf(comment))),
    ...(record['completed'] === 1 ? [value('completion', null, DONE)] : []),
    ...(archived ? [value('archived_state', null, DONE)] : []),
  ]
}

function valuesOfPost({ record, comments }: CommentedRecord): FurtherValue[] {
  const id = textIn(record, 'post_id') ?? ''
  return inOrder(comments).map((comment) => {
    return { kind: 'post_comment', id: `${id}/${textIn(comment, 'cid')}`, name: '', text: messageOf(comment) }
  })
}

/** An event, with its times as `under`; `null` if the service cannot take them. */
export function valueOfEvent(record: BackupRecord): (FurtherValue & SentValue) | null {
  const [start, end] = [isoTime(textIn(record, 'start') ?? ''), isoTime(textIn(record, 'end') ?? '')]
  if (!isSendable(start) || !isSendable(end)) return null
  const name = nameOf({ title: textIn(record, 'name') })
  const text = textIn(record, 'location') ?? ''
  return { kind: 'event', id: textIn(record, 'event_id') ?? '', name, text, under: `${start}/${end}` }
}

/** The oldest first: the backup has them by their ids. */
function inOrder(comments: readonly BackupRecord[]): readonly BackupRecord[] {
  const timeOf = (comment: BackupRecord) => textIn(comment, 'created_at') ?? ''
  return comments.toSorted((a, b) => compareBytes(timeOf(a), timeOf(b)))
}

/** The author of a comment that is created is the token's user: its text names the original one. */
function messageOf(comment: BackupRecord): string {
  const { owner } = comment
  const author: BackupRecord = typeof owner === 'object' && owner !== null ? { ...owner } : {}
  const name = textIn(author, 'display_name') || textIn(author, 'name') || textIn(author, 'uid') || 'unknown'
  const text = textIn(comment, 'raw_message') || textIn(comment, 'message') || ''
  return `${name}, ${textIn(comment, 'created_at') ?? 'unknown time'}: ${text}`
}

function isSendable(time: string): boolean {
  const milliseconds = Date.parse(time)
  return milliseconds - DAY >= FIRST_TIME && milliseconds + DAY <= LAST_TIME
}
