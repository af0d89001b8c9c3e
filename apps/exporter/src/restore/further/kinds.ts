import type { StreamName } from '@collab-etl/contract/streams'
import type { Client, OptionalOperation } from '@collab-etl/core'
import type { FurtherKind } from '../item.ts'
import type { Unrestorable } from '../unrestorable.ts'
import type { TargetReader } from './target-reader.ts'

/** What the service of the target offers to restore beyond what the documented operations create. */
export interface Possible {
  readonly kinds: ReadonlySet<FurtherKind>
  /** User ids of the members of the target; empty where they cannot be listed. */
  readonly members: ReadonlySet<string>
}

/** A value as it is sent; a value of the target is compared with it. */
export interface SentValue {
  /** Name of a group, a label, a checklist item or an event; user id of a member; due date; state; empty for a comment. */
  readonly name: string
  /** Text of a comment, place of an event. */
  readonly text: string
  /** Id of the new task or post that it belongs to; start and end of an event; empty for a group. */
  readonly under: string
}

/** A value that the target has. */
interface Shown extends Pick<SentValue, 'name' | 'text'> {
  /** `null` if the service gives it none. */
  readonly id: string | null
  /** Only of an event. */
  readonly under?: string
}

/** One row of the table: everything that differs between kinds of values. */
interface Further {
  /** For a person; `words` for several, if it is not `word` with an s. */
  readonly word: string
  readonly words?: string
  /** Operations that must be offered: without them the value could not be compared. Empty: a documented operation reads it. */
  readonly reads: readonly OptionalOperation[]
  /** What is counted in the report if it cannot be restored. */
  readonly counted: keyof Unrestorable | null
  /** The stream of a backup that holds it, if it is not that of its record. */
  readonly stream?: StreamName
  /** Whether setting it again has no effect, so that a request whose answer was lost may be repeated. */
  readonly isIdempotent: boolean
  /** The fields in reports of differences. */
  readonly fields: Readonly<Record<'name' | 'text' | 'under', string>>
  /** The values of this kind that the target has. */
  list(target: TargetReader, sent: SentValue): Promise<readonly Shown[]>
  /** Sends the request. Returns the new id; `null` if the service gives none. */
  write(client: Client, pid: string, sent: SentValue): Promise<string | null>
}

const FIELDS = { name: 'name', text: 'message', under: 'time' }
const ONE_TASK = ['tasks.get'] as const

/** A row whose values are read with `tasks.get`. */
type OfTask = Pick<Further, 'word' | 'words' | 'counted' | 'write'> & {
  readonly field: string
  readonly reads?: Further['reads']
  readonly shown: (task: Awaited<ReturnType<TargetReader['task']>>) => readonly (Shown | string)[]
}

function ofTask({ field, shown, reads = ONE_TASK, ...rest }: OfTask, isIdempotent = true): Further {
  return {
    ...rest,
    reads,
    isIdempotent,
    fields: { ...FIELDS, name: field },
    list: async (target, { under }) =>
      shown(await target.task(under)).map((found) =>
        typeof found === 'string' ? { id: null, name: found, text: '' } : found,
      ),
  }
}

interface ShownComment {
  readonly cid: string
  readonly message: string | null
}

/** Comments on records of a kind. */
interface OfComments extends Pick<Further, 'word' | 'words' | 'reads' | 'stream' | 'counted'> {
  readonly comments: (target: TargetReader, id: string) => Promise<readonly ShownComment[]>
  readonly create: (client: Client, pid: string, id: string, message: string) => Promise<{ readonly cid: string }>
}

function ofComments({ comments, create, ...rest }: OfComments): Further {
  return {
    ...rest,
    isIdempotent: false,
    fields: FIELDS,
    list: async (target, { under }) =>
      (await comments(target, under)).map(({ cid: id, message }) => ({ id, name: '', text: message ?? '' })),
    write: async (client, pid, { text: message, under }) => (await create(client, pid, under, message)).cid,
  }
}

export const FURTHER: Readonly<Record<FurtherKind, Further>> = {
  group: {
    word: 'task group',
    reads: ['entries.list'],
    stream: 'entries',
    counted: null,
    isIdempotent: false,
    fields: FIELDS,
    list: async (target) =>
      (await target.groups()).map(({ entry_id: id, name }) => ({ id, name: name ?? '', text: '' })),
    write: async (client, pid, { name }) => (await client.entries.create({ pid, name })).entry_id,
  },
  due_date: ofTask({
    word: 'due date',
    counted: 'due_dates',
    field: 'expire_date',
    shown: ({ expire_date }) => (expire_date === null ? [] : [isoTime(expire_date)]),
    write: async (client, pid, { name, under: tid }) =>
      confirmed(await client.tasks.expire({ pid, tid, expire: Date.parse(name) })),
  }),
  label: ofTask({
    word: 'label',
    counted: 'labels',
    field: 'label',
    shown: ({ labels }) => labels.map(({ name }) => name ?? ''),
    write: async (client, pid, { name: label, under: tid }) =>
      confirmed(await client.tasks.labels.add({ pid, tid, label })),
  }),
  member: ofTask({
    word: 'member',
    counted: 'members',
    field: 'uid',
    reads: ['tasks.get', 'projects.members.list'],
    shown: ({ members }) => members.map(({ uid }) => uid),
    write: async (client, pid, { name: uid, under: tid }) =>
      confirmed(await client.tasks.members.add({ pid, tid, uid })),
  }),
  todo: ofTask(
    {
      word: 'checklist item',
      counted: 'checklist_items',
      field: 'name',
      shown: ({ todos }) => todos.map(({ todo_id: id, name }) => ({ id, name: name ?? '', text: '' })),
      write: async (client, pid, { name, under: tid }) => (await client.tasks.todos.create({ pid, tid, name })).todo_id,
    },
    false,
  ),
  todo_checked: ofTask({
    word: 'checked item',
    counted: null,
    field: 'checked',
    shown: ({ todos }) => todos.flatMap(({ todo_id, checked }) => (checked === 1 ? [todo_id] : [])),
    write: async (client, pid, { name: todo_id, under: tid }) =>
      confirmed(await client.tasks.todos.check({ pid, tid, todo_id })),
  }),
  task_comment: ofComments({
    word: 'comment of a task',
    words: 'comments of tasks',
    reads: ['tasks.comments.list'],
    stream: 'task_comments',
    counted: 'task_comments',
    comments: (target, tid) => target.taskComments(tid),
    create: (client, pid, tid, message) => client.tasks.comments.create({ pid, tid, message }),
  }),
  completion: ofTask({
    word: 'completed task',
    counted: 'completions',
    field: 'completed',
    shown: ({ completed }) => (completed === 1 ? [DONE] : []),
    write: async (client, pid, { under: tid }) => confirmed(await client.tasks.complete({ pid, tid })),
  }),
  archived_state: ofTask({
    word: 'archived task',
    counted: 'archived_states',
    field: 'archived',
    // The documented task has no such field.
    shown: ({ extra: { archived } = {} }) => (archived === 1 || archived === true ? [DONE] : []),
    write: async (client, pid, { under: tid }) => confirmed(await client.tasks.archive({ pid, tid })),
  }),
  post_comment: ofComments({
    word: 'comment of a post',
    words: 'comments of posts',
    reads: [],
    counted: 'post_comments',
    comments: (target, post_id) => target.postComments(post_id),
    create: (client, pid, post_id, message) => client.posts.comments.create({ pid, post_id, message }),
  }),
  event: {
    word: 'event',
    reads: [],
    stream: 'events',
    counted: 'events',
    isIdempotent: false,
    fields: { ...FIELDS, text: 'location' },
    list: async (target, { under }) => {
      const [start, end] = timesOf(under)
      return (await target.events(start, end)).map(({ event_id: id, name, location, start, end }) => {
        return { id, name: name ?? '', text: location ?? '', under: `${start}/${end}` }
      })
    },
    write: async (client, pid, { name, text, under }) => {
      const [[start_date, start_time], [end_date, end_time]] = timesOf(under).map(dayAndTime) as [
        DayAndTime,
        DayAndTime,
      ]
      const place = text === '' ? {} : { location: text }
      const sent = { pid, name, ...place, start_date, start_time, end_date, end_time }
      return (await client.events.create(sent)).event_id
    },
  },
}

/** The name of a state that a task has or has not. */
export const DONE = '1'

export function isFurther(kind: string): kind is FurtherKind {
  return kind in FURTHER
}

/** A time in the form in which times are compared; others unchanged. */
export function isoTime(text: string): string {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

function timesOf(under: string): [start: string, end: string] {
  const [start = '', end = ''] = under.split('/')
  return [start, end]
}

type DayAndTime = readonly [day: string, time: string]

/** The day and the time of day, in UTC, to the minute unless the time has seconds. */
function dayAndTime(time: string): DayAndTime {
  const [day = '', clock = ''] = time.slice(0, -1).split('T')
  return [day, clock.endsWith(':00.000') ? clock.slice(0, 5) : clock]
}

/** @throws Error if the service answers that it did not change anything */
function confirmed({ success }: { readonly success: boolean | string | null }): null {
  if (success === false || success === 'false') throw new Error('the service answered that it changed nothing')
  return null
}
