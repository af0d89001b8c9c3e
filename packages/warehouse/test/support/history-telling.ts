import type { ConversionIssue, RecordKind, RecordKinds, StreamName, Suspicion } from '@collab-etl/contract/streams'
import type { TableName } from '../../src/tables/table.ts'
import { commentOf, offeredStreams, teamsStream } from './history-offered.ts'
import type { Publication, RunScript } from './history-script.ts'
import {
  type Commented,
  PIDS,
  type ProjectState,
  type ProjectStep,
  STARTS,
  type Step,
  type TeamState,
  type Telling,
  type UserState,
  type WebhookState,
  WHOLE,
} from './history-states.ts'
import { cutShort } from './history-waiting.ts'
import { archivedTask, event, file, page, post, project, task, user, webhook } from './records.ts'
import { batch, LIMITS, NO_LIMITS, type StreamInput, type Streams } from './snapshot.ts'

const LIMITS_OF = { strict: LIMITS, patient: { maxShrink: 1, allowShrink: false }, none: NO_LIMITS }

const EMPTY: ProjectState = {
  ...{ name: 'a', labels: [], tasks: {}, pages: {}, posts: {}, files: {}, events: {} },
  ...{ members: {}, groups: {} },
}

/** What is read of a post or file before it is gone. */
const VANISHING: Commented = { name: 'a', watchers: ['u1'], comments: { c1: { message: 'a', files: { x1: 'a' } } } }

type StepInput = Omit<Step, 'projects' | 'users' | 'webhooks' | 'teams' | 'followedBy'> & {
  readonly projects: Readonly<Record<string, Omit<ProjectStep, 'patches' | 'name' | 'labels'>>>
}

/** The service, which goes from state to state. */
export class Service {
  readonly #projects = new Map<string, ProjectState>(PIDS.map((pid) => [pid, EMPTY]))
  #users: Readonly<Record<string, UserState>> = {}
  #webhooks: Readonly<Record<string, WebhookState>> = {}
  #teams: Readonly<Record<string, TeamState>> = {}

  /** Takes a step and tells what a run reads of the state after it. */
  next(step: Step): RunScript {
    this.#users = { ...this.#users, ...step.users }
    this.#webhooks = patched(this.#webhooks, step.webhooks)
    this.#teams = patched(this.#teams, step.teams)
    for (const [pid, of] of Object.entries(step.projects)) {
      this.#projects.set(pid, next(this.#projects.get(pid) ?? EMPTY, of))
    }
    return this.#input(step)
  }

  /** What a run reads of the same state if nothing goes wrong; lists may have the same lengths. */
  whole({ projects, limits, tellsTeams }: Step): RunScript {
    const of = Object.entries(projects).map(
      ([pid, { isListed, whenUnlisted, suspicious, offered, carries }]) =>
        [pid, { ...WHOLE, isListed, whenUnlisted, suspicious, offered, carries, users: {} }] as const,
    )
    const rest = { tellsPersonal: true, tellsTeams, list: true, forgetsHashes: false, diesAfter: null }
    return this.#input({ ...rest, limits: limits === 'strict' ? 'none' : limits, projects: Object.fromEntries(of) })
  }

  #input(step: StepInput): RunScript {
    const all = Object.entries(step.projects).flatMap(([pid, of]) => {
      const now = this.#projects.get(pid) ?? EMPTY
      return (of.isListed || of.whenUnlisted === 'readable') && of.isPublished
        ? new Teller(pid, now, of, { ...this.#users, ...of.users }, this.#hooks(pid)).parts()
        : []
    })
    const hooks = { batches: [batch('webhook', this.#hooks(''))] }
    const unowned = {
      ...(step.tellsPersonal && { webhooks: hooks }),
      ...(step.tellsTeams && { teams: teamsStream(this.#teams, (uid) => personOf(this.#users, uid)) }),
    }
    if (Object.keys(unowned).length > 0) all.push({ pid: null, streams: unowned, unsure: new Map() })
    const count = step.diesAfter ?? all.length
    const pidsOf = (which: (of: StepInput['projects'][string]) => boolean) =>
      new Set(Object.entries(step.projects).flatMap(([pid, of]) => (which(of) ? [pid] : [])))
    return {
      forgetsHashes: step.forgetsHashes,
      list: step.list
        ? {
            listed: pidsOf(({ isListed }) => isListed),
            gone: pidsOf(({ isListed, whenUnlisted }) => !isListed && whenUnlisted === 'gone'),
            readable: pidsOf(({ isListed, whenUnlisted }) => isListed || whenUnlisted === 'readable'),
          }
        : null,
      publications: all.slice(0, count),
      unpublished: all.slice(count, count + 1),
      finishes: step.diesAfter === null,
      limits: LIMITS_OF[step.limits],
    }
  }

  #hooks(pid: string): RecordKinds['webhook'][] {
    const own = Object.entries(this.#webhooks).filter(([, hook]) => hook.lists.includes(pid))
    return own.map(([wid, { name }]) => webhook(wid, { pid, name }))
  }
}

function next(before: ProjectState, { patches, name, labels }: ProjectStep): ProjectState {
  return {
    name: name ?? before.name,
    labels: labels ?? before.labels,
    tasks: patched(before.tasks, patches.tasks),
    pages: patched(before.pages, patches.pages),
    posts: patched(before.posts, patches.posts),
    files: patched(before.files, patches.files),
    events: patched(before.events, patches.events),
    members: patched(before.members, patches.members),
    groups: patched(before.groups, patches.groups),
  }
}

function patched<T>(before: Readonly<Record<string, T>>, patch: Readonly<Record<string, T | null>>): Record<string, T> {
  const after = Object.entries({ ...before, ...patch }).filter((entry): entry is [string, T] => entry[1] !== null)
  return Object.fromEntries(after)
}

/** A list as a record names it, and the table its elements go to. */
const LISTS: Partial<Record<RecordKind, Readonly<Record<string, TableName>>>> = {
  task: { members: 'task_members', watchers: 'task_watchers', labels: 'task_labels', todos: 'task_todos' },
  archived_task: { members: 'task_members', watchers: 'task_watchers', labels: 'task_labels', todos: 'task_todos' },
  page: { watchers: 'page_watchers' },
  post: { watchers: 'post_watchers' },
  file: { watchers: 'file_watchers' },
  event: { attendees: 'event_attendees' },
  post_comment: { files: 'comment_files' },
  file_comment: { files: 'comment_files' },
}

/** Makes the records of one project as the service sends them, with all that may be wrong about them. */
class Teller {
  readonly #pid: string
  readonly #state: ProjectState
  readonly #telling: Telling
  readonly #users: Readonly<Record<string, UserState>>
  readonly #hooks: RecordKinds['webhook'][]
  readonly #unsure = new Map<TableName, Set<string>>()

  constructor(
    pid: string,
    state: ProjectState,
    telling: Telling,
    users: Readonly<Record<string, UserState>>,
    hooks: RecordKinds['webhook'][],
  ) {
    this.#pid = pid
    this.#state = state
    this.#telling = telling
    this.#users = users
    this.#hooks = hooks
  }

  /** The publications of the project: posts and files may be read in two. */
  parts(): Publication[] {
    const all = this.#streams()
    const { posts, files, ...others } = all
    const parts = this.#telling.inTwoParts
      ? [{ ...others, ...(posts && { posts }) }, { ...(files && { files }) }]
      : [all]
    return parts.map((streams) => ({ pid: this.#pid, streams: this.#asInput(streams), unsure: this.#unsure }))
  }

  #asInput(streams: Streams): Streams {
    const { untold, statuses, suspicious, restarted } = this.#telling
    const input = (Object.entries(streams) as [StreamName, StreamInput][]).filter(
      ([stream]) => !untold.includes(stream),
    )
    return Object.fromEntries(
      input.map(([stream, of]) => [
        stream,
        {
          ...of,
          ...(statuses[stream] && { status: statuses[stream] }),
          ...(suspicious.includes(stream) && { batches: cutShort(of.batches), suspicious: this.#suspicion(stream) }),
          // what a failed attempt emitted is discarded: all records again, and one that never existed
          ...(restarted.includes(stream) && { voided: [...(of.batches ?? []), ...this.#garbage(stream)] }),
        },
      ]),
    )
  }

  #suspicion(stream: StreamName): Suspicion {
    const length = 20
    const middle = new Date(STARTS[1] ?? '')
    if (stream === 'events') return { length, ranges: [{ from: middle, to: middle }] }
    if (stream !== 'posts' && stream !== 'files') return { length }
    return { length, parents: Object.keys(this.#state[stream]).map((id) => ({ id, source: 'known', length })) }
  }

  #garbage(stream: StreamName) {
    if (stream === 'pages') return [batch('page', [page('g9', { pid: this.#pid })])]
    return stream === 'tasks' ? [batch('task', [task('t9', { pid: this.#pid, members: [user('u9')] })])] : []
  }

  #streams(): Streams {
    const { posts, files, events } = this.#state
    const range = {
      from: new Date(STARTS[0] ?? ''),
      to: new Date((this.#telling.isNarrow ? STARTS[1] : STARTS[2]) ?? ''),
    }
    const notFoundPosts = this.#gone(posts, 's').map((post_id) => ({ post_id }))
    const notFoundFiles = this.#gone(files, 'f').map((fid) => ({ fid }))
    return {
      projects: { batches: [this.#project()] },
      tasks: { batches: [batch('task', ...this.#tasks('tasks'))] },
      archived_tasks: { batches: [batch('archived_task', ...this.#tasks('archived_tasks'))] },
      pages: {
        batches: [
          batch(
            'page',
            ...this.#input('page', this.#state.pages, (id, { name, watchers }, other) =>
              page(id, { ...this.#own(), name: name + other, watchers: this.#people(watchers) }),
            ),
          ),
        ],
      },
      posts: {
        batches: [
          batch(
            'post',
            ...this.#input('post', this.#seen(posts, 's'), (id, each, other) => post(id, this.#written(each, other))),
          ),
          batch(
            'post_comment',
            ...this.#comments('post_comment', this.#seen(posts, 's'), (post_id, of) => ({ post_id, comment: of })),
          ),
          batch('not_found_post', notFoundPosts),
        ],
      },
      events: { range, batches: [this.#events(events, range.to)] },
      files: {
        batches: [
          batch(
            'file',
            ...this.#input('file', this.#seen(files, 'f'), (id, each, other) => file(id, this.#written(each, other))),
          ),
          batch(
            'file_comment',
            ...this.#comments('file_comment', this.#seen(files, 'f'), (fid, of) => ({ fid, comment: of })),
          ),
          batch('not_found_file', notFoundFiles),
        ],
      },
      webhooks: { batches: [batch('webhook', this.#hooks)] },
      ...offeredStreams(this.#pid, this.#state, this.#telling, (uid) => this.#person(uid)),
    }
  }

  #project() {
    const { name, labels } = this.#state
    const isUnreadable = this.#telling.unreadable['t1'] === 'labels'
    if (isUnreadable) this.#unsure.set('project_labels', new Set([this.#pid]))
    const detail = {
      name,
      created_by: this.#person('u1'),
      labels: isUnreadable ? [] : labels.map((label) => ({ name: label, desc: null })),
    }
    const losses = isUnreadable ? [lossOf(this.#pid, 'detail.labels')] : []
    return batch('project', [project(this.#pid, detail)], losses)
  }

  #tasks(list: 'tasks' | 'archived_tasks'): [RecordKinds['task'][], ConversionIssue[]] {
    const listed = Object.entries(this.#state.tasks).filter(([, each]) => each.list === list || each.list === 'both')
    const kind = list === 'tasks' ? 'task' : 'archived_task'
    const make = list === 'tasks' ? task : archivedTask
    return this.#input(kind, Object.fromEntries(listed), (tid, each, other, lost) => {
      const fields = {
        ...this.#own(),
        project: { pid: this.#pid, name: 'Project', pic: 'p.png', bg: 'blue' } as const,
        name: each.name === null ? null : each.name + other,
        ...(each.completed === null ? {} : doneAt(each.completed, list)),
        entry_id: each.entry,
        entry_name: each.entry === '' ? '' : each.entryName,
        members: lost === 'members' ? [] : this.#people(other === '' ? each.members : ['u3']),
        watchers: lost === 'watchers' ? [] : this.#people(each.watchers),
        labels: lost === 'labels' ? [] : each.labels.map((name) => ({ name, desc: null })),
        todos:
          lost === 'todos'
            ? []
            : Object.entries(each.todos).map(
                ([todo_id, checked]) => ({ todo_id, name: todo_id, checked: checked ? 1 : 0, pos: 1 }) as const,
              ),
      }
      // an archived task has fewer fields, which makes it assignable to neither kind by itself
      return make(tid, fields) as RecordKinds['task']
    })
  }

  #events(events: ProjectState['events'], to: Date) {
    const starts = Object.entries(events).flatMap(([id, { name, starts: of }]) =>
      Object.entries(of).map(([start, attendees]) => [id, { name, start, attendees }] as const),
    )
    const inRange = starts.filter(([, { start }]) => Date.parse(start) <= to.getTime())
    const input = inRange.map(([id, { start, name, attendees }]) =>
      this.#input('event', { [id]: { name, start, attendees } }, (eventId, _, other, lost) =>
        event(eventId, start, {
          project: { pid: this.#pid, name: 'Project', pic: 'p.png', bg: 'blue' },
          name: name + other,
          attendees: lost === 'attendees' ? [] : this.#people(attendees),
        }),
      ),
    )
    const losses = input.flatMap(([records, lost]) =>
      lost.map((loss) => ({ ...loss, recordKey: `${loss.recordKey} ${records[0]?.start}` })),
    )
    return batch(
      'event',
      input.flatMap(([records]) => records),
      losses,
    )
  }

  #comments<T>(
    kind: 'post_comment' | 'file_comment',
    of: Readonly<Record<string, Commented>>,
    make: (id: string, comment: RecordKinds['post_comment']['comment']) => T,
  ): [T[], ConversionIssue[]] {
    const input = Object.entries(of).map(([id, { comments }]) =>
      this.#input(
        kind,
        comments,
        (cid, { message, files }, other, lost) => {
          const whole = commentOf(this.#pid, cid, { message: message + other, files }, this.#person('u1'))
          return make(id, lost === 'files' ? { ...whole, files: [] } : whole)
        },
        id,
      ),
    )
    return [input.flatMap(([records]) => records), input.flatMap(([, losses]) => losses)]
  }

  /** Records in the order of their ids; those that come more often do so after all others. `by`: whose telling counts. */
  #input<S, R>(
    kind: RecordKind,
    of: Readonly<Record<string, S>>,
    make: (id: string, state: S, other: string, lost: string) => R,
    by?: string,
  ): [R[], ConversionIssue[]] {
    const rounds: R[][] = [[], [], []]
    const losses: ConversionIssue[] = []
    for (const [id, state] of Object.entries(of)) {
      const lost = this.#telling.unreadable[by ?? id] ?? ''
      const table = LISTS[kind]?.[lost]
      const parent = by === undefined ? id : JSON.stringify([kind === 'post_comment' ? 'post' : 'file', by, id])
      if (table !== undefined) this.#unsure.set(table, new Set([...(this.#unsure.get(table) ?? []), parent]))
      if (table !== undefined || lost === 'name')
        losses.push(
          lossOf(by === undefined ? id : `${by} ${id}`, by === undefined || lost === 'name' ? lost : `comment.${lost}`),
        )
      const versions = this.#telling.repeated[by ?? id] ?? [0]
      for (const [round, version] of versions.entries())
        rounds[round]?.push(make(id, state, version === 0 ? '' : ' otherwise', table === undefined ? '' : lost))
    }
    return [rounds.flat(), losses]
  }

  #seen(of: Readonly<Record<string, Commented>>, prefix: string): Readonly<Record<string, Commented>> {
    const vanishing = this.#telling.vanishing.filter((id) => id.startsWith(prefix) && !(id in of))
    return { ...of, ...Object.fromEntries(vanishing.map((id) => [id, VANISHING])) }
  }

  #gone(of: Readonly<Record<string, unknown>>, prefix: string): string[] {
    return [`${prefix}1`, `${prefix}2`].filter((id) => !(id in of))
  }

  #written({ name, watchers }: { name: string; watchers: readonly string[] }, other: string) {
    return { ...this.#own(), name: name + other, watchers: this.#people(watchers) }
  }

  #own() {
    return { pid: this.#pid, owner: this.#person('u1') }
  }

  #people(uids: readonly string[]) {
    return uids.map((uid) => this.#person(uid))
  }

  #person(uid: string) {
    return personOf(this.#users, uid)
  }
}

function personOf(users: Readonly<Record<string, UserState>>, uid: string) {
  const { name, nick, online } = users[uid] ?? { name: 'A', nick: null, online: 0 }
  return user(uid, { name, display_name: nick, online: online as 0 | 1 | 2 | 3 }) // as generated
}

function lossOf(recordKey: string, field: string): ConversionIssue {
  // a list that was left out deletes as little as one that cannot be read
  const lost = recordKey.includes('1') ? 'missing' : 'unreadable'
  return { recordKey, field, kind: field === 'name' ? 'coerced' : lost, original: '1' }
}

/** A completed task, whose time the archived list does not have. */
function doneAt(time: string, list: 'tasks' | 'archived_tasks'): Partial<RecordKinds['task']> {
  return list === 'tasks' ? { completed: 1, completed_date: time } : { completed: 1 }
}
