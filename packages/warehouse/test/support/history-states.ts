import type { StreamName } from '@collab-etl/contract/streams'
import fc from 'fast-check'

/** What the service holds of a project, small enough that states often have ids and values in common. */
export interface ProjectState {
  readonly name: string
  readonly labels: readonly string[]
  readonly tasks: Readonly<Record<string, TaskState>>
  readonly pages: Readonly<Record<string, Watched>>
  readonly posts: Readonly<Record<string, Commented>>
  readonly files: Readonly<Record<string, Commented>>
  readonly events: Readonly<Record<string, EventState>>
  readonly members: Readonly<Record<string, MemberState>>
  readonly groups: Readonly<Record<string, GroupState>>
}

/** A member by its user id. */
interface MemberState {
  readonly role: 1 | 2
  readonly hasEmail: boolean
}

/** A task group as the list of groups shows it. */
interface GroupState {
  readonly name: string
  readonly pos: number
}

interface TaskState {
  /** `both`: it is archived while the lists are read. */
  readonly list: 'tasks' | 'archived_tasks' | 'both'
  /** When it was completed; `null` while it is open. */
  readonly completed: string | null
  readonly name: string | null
  readonly entry: string
  readonly entryName: string | null
  readonly members: readonly string[]
  readonly watchers: readonly string[]
  readonly labels: readonly string[]
  readonly todos: Readonly<Record<string, boolean>>
  readonly comments: Commented['comments']
}

interface Watched {
  readonly name: string
  readonly watchers: readonly string[]
}

export interface Commented extends Watched {
  readonly comments: Readonly<
    Record<string, { readonly message: string; readonly files: Readonly<Record<string, string | null>> }>
  >
}

interface EventState {
  readonly name: string
  /** By start, who takes part. */
  readonly starts: Readonly<Record<string, readonly string[]>>
}

export interface UserState {
  readonly name: string
  readonly nick: string | null
  readonly online: number
}

/** What changes: records by id, `null` where one goes away. */
type Patch<T> = Readonly<Record<string, T | null>>
type Patches = {
  readonly [K in 'tasks' | 'pages' | 'posts' | 'files' | 'events' | 'members' | 'groups']: Patch<
    ProjectState[K][string]
  >
}

/** How a project is reported, apart from its content. */
export interface Telling {
  readonly isPublished: boolean
  readonly statuses: Readonly<Partial<Record<StreamName, 'drifted' | 'failed' | 'skipped'>>>
  readonly untold: readonly StreamName[]
  /** What the service offers beyond its documented operations; of the others there is no scope, or it is carried. */
  readonly offered: readonly StreamName[]
  readonly carries: boolean
  /** Tasks whose comments are read. */
  readonly asked: readonly string[]
  /** Streams whose lists are cut, at a length at which services cut lists. */
  readonly suspicious: readonly StreamName[]
  /** Streams that begin again after half of something else. */
  readonly restarted: readonly StreamName[]
  /** Records that come more often, by id: 0 as they are, 1 otherwise. */
  readonly repeated: Readonly<Record<string, readonly (0 | 1)[]>>
  /** The list of a record that could not be read, by id; `name` means a coerced value. */
  readonly unreadable: Readonly<Record<string, string>>
  /** Posts and files that are read and then gone. */
  readonly vanishing: readonly string[]
  readonly inTwoParts: boolean
  readonly isNarrow: boolean
}

/** Reported without a fault. */
export const WHOLE = {
  isPublished: true,
  statuses: {},
  untold: [],
  offered: [],
  carries: false,
  asked: ['t1', 't2', 't3'],
  suspicious: [],
  restarted: [],
  repeated: {},
  unreadable: {},
  vanishing: [],
  inTwoParts: false,
  isNarrow: false,
} as const satisfies Telling

export interface ProjectStep extends Telling {
  readonly isListed: boolean
  /** What is found out of it where it is not listed. */
  readonly whenUnlisted: 'gone' | 'readable' | 'unknown'
  readonly patches: Patches
  readonly name: string | null
  readonly labels: readonly string[] | null
  /** How the users look within this project, where that is not as elsewhere. */
  readonly users: Readonly<Record<string, UserState>>
}

export interface WebhookState {
  readonly name: string
  /** The projects in whose lists it is; `''` is the personal list. */
  readonly lists: readonly string[]
}

export interface TeamState {
  readonly name: string
  readonly members: readonly string[]
}

export interface Step {
  readonly projects: Readonly<Record<string, ProjectStep>>
  readonly users: Readonly<Record<string, UserState>>
  readonly webhooks: Patch<WebhookState>
  readonly tellsPersonal: boolean
  readonly teams: Patch<TeamState>
  readonly tellsTeams: boolean
  readonly list: boolean
  readonly forgetsHashes: boolean
  /** How many publications are made before the process dies; `null`: all. */
  readonly diesAfter: number | null
  /** Scopes that lose more than half are refused, none is, or none is and rows that wait are accepted as gone. */
  readonly limits: 'strict' | 'patient' | 'none'
  /** The run after it: the same once more, or one of the same state in which nothing goes wrong, and that once more. */
  readonly followedBy: 'nothing' | 'same' | 'whole'
}

export const PIDS = ['p1', 'p2'] as const
export const STARTS = ['2024-01-01T10:00:00.000Z', '2024-02-01T10:00:00.000Z', '2024-03-01T10:00:00.000Z']
const GIVEN: readonly StreamName[] = [
  'projects',
  'tasks',
  'archived_tasks',
  'pages',
  'posts',
  'events',
  'files',
  'webhooks',
]
/** Streams of a project that the service need not offer. */
export const OPTIONAL: readonly StreamName[] = ['members', 'entries', 'task_comments']
const USERS = ['u1', 'u2', 'u3']
const IDS = ['t1', 't2', 't3', 'g1', 'g2', 's1', 's2', 'f1', 'f2', 'e1', 'e2']

const few = (...values: string[]) => fc.subarray(values)
const text = fc.constantFrom('a', 'b')
const dictionary = <T>(keys: readonly string[], value: fc.Arbitrary<T>, maxKeys: number) =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys, noNullPrototype: true })
const patch = <T>(prefix: string, size: number, value: fc.Arbitrary<T>) =>
  dictionary(
    Array.from({ length: size }, (_, index) => `${prefix}${index + 1}`),
    fc.option(value, { freq: 3 }),
    size,
  )
/** Most of the time what makes no trouble. */
const rarely = <T, U>(value: fc.Arbitrary<T>, usual: U, weight = 4) =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: value })

const comments = dictionary(
  ['c1', 'c2'],
  fc.record({ message: text, files: dictionary(['x1', 'x2'], fc.option(text), 2) }),
  2,
)
const task: fc.Arbitrary<TaskState> = fc.record({
  list: fc.constantFrom('tasks', 'tasks', 'archived_tasks', 'both'),
  completed: fc.constantFrom(null, ...STARTS),
  name: rarely(fc.constantFrom(null, 'b'), 'a'),
  entry: fc.constantFrom('n1', 'n2', ''),
  entryName: rarely(fc.constantFrom(null, 'other'), 'Entry'),
  members: few('u1', 'u2'),
  watchers: rarely(few('u2', 'u3'), [] as string[]),
  labels: rarely(few('red', 'blue'), [] as string[]),
  todos: rarely(dictionary(['d1', 'd2'], fc.boolean(), 2), {}),
  comments: rarely(comments, {}, 1),
})
const watched: fc.Arbitrary<Watched> = fc.record({ name: text, watchers: few('u1', 'u3') })
const commented: fc.Arbitrary<Commented> = fc.record({ name: text, watchers: few('u1', 'u3'), comments })
const event: fc.Arbitrary<EventState> = fc.record({
  name: text,
  starts: fc.dictionary(fc.constantFrom(...STARTS), few('u1', 'u2'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
})
const user: fc.Arbitrary<UserState> = fc.record({
  name: fc.constantFrom('A', 'B'),
  nick: fc.option(fc.constantFrom('x', 'y')),
  online: fc.integer({ min: 0, max: 3 }),
})
const status = fc.constantFrom<'drifted' | 'failed' | 'skipped'>('drifted', 'drifted', 'failed', 'skipped')
/** Nothing amiss, all of one kind, or each stream as it likes. */
const statuses = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 2,
    arbitrary: status.map((of) => Object.fromEntries([...GIVEN, ...OPTIONAL].map((stream) => [stream, of]))),
  },
  {
    weight: 2,
    arbitrary: fc.dictionary(fc.constantFrom(...GIVEN, ...OPTIONAL), status, { maxKeys: 3, noNullPrototype: true }),
  },
)
const streams = fc.subarray([...GIVEN], { maxLength: 2 })

const projectStep: fc.Arbitrary<ProjectStep> = fc.record({
  isListed: rarely(fc.constant(false), true, 4),
  whenUnlisted: fc.constantFrom('gone', 'gone', 'readable', 'unknown'),
  isPublished: rarely(fc.constant(false), true, 6),
  patches: fc.record({
    tasks: patch('t', 3, task),
    pages: patch('g', 2, watched),
    posts: patch('s', 2, commented),
    files: patch('f', 2, commented),
    events: patch('e', 2, event),
    members: patch('u', 3, fc.record({ role: fc.constantFrom(1, 2), hasEmail: fc.boolean() })),
    groups: patch('n', 3, fc.record({ name: fc.constantFrom('Entry', 'other'), pos: fc.integer({ min: 1, max: 2 }) })),
  }),
  name: rarely(text, null),
  labels: rarely(few('red', 'blue'), null),
  users: rarely(dictionary(USERS, user, 1), {}),
  statuses,
  untold: rarely(streams, []),
  offered: fc.subarray([...OPTIONAL]),
  carries: fc.boolean(),
  asked: rarely(few('t1', 't2'), WHOLE.asked),
  suspicious: rarely(
    fc.subarray<StreamName>([
      ...(['tasks', 'archived_tasks', 'pages', 'posts', 'files', 'events', 'webhooks', 'members'] as const),
    ]),
    [],
    1,
  ),
  restarted: rarely(streams, []),
  repeated: rarely(
    dictionary(
      IDS,
      fc.constantFrom<(0 | 1)[][]>([0, 0], [1, 0], [0, 1], [0, 1, 0], [1, 0, 1]) as fc.Arbitrary<(0 | 1)[]>,
      3,
    ),
    {},
    2,
  ),
  unreadable: rarely(
    dictionary(IDS, fc.constantFrom('members', 'watchers', 'labels', 'todos', 'attendees', 'files', 'name'), 3),
    {},
    2,
  ),
  vanishing: rarely(few('s1', 's2', 'f1', 'f2'), []),
  inTwoParts: rarely(fc.constant(true), false),
  isNarrow: rarely(fc.constant(true), false),
})

export const step: fc.Arbitrary<Step> = fc.record({
  projects: fc.record(Object.fromEntries(PIDS.map((pid) => [pid, projectStep]))),
  users: rarely(dictionary(USERS, user, 2), {}, 1),
  webhooks: dictionary(
    ['w1', 'w2'],
    fc.option(fc.record({ name: text, lists: fc.subarray(['', ...PIDS], { minLength: 1 }) }), { freq: 3 }),
    2,
  ),
  tellsPersonal: rarely(fc.constant(false), true),
  teams: patch('m', 2, fc.record({ name: text, members: few(...USERS) })),
  tellsTeams: fc.boolean(),
  list: rarely(fc.constant(false), true),
  forgetsHashes: rarely(fc.constant(true), false),
  diesAfter: rarely(fc.integer({ min: 0, max: 3 }), null),
  limits: fc.constantFrom('none', 'patient', 'patient', 'strict'),
  followedBy: fc.constantFrom('nothing', 'same', 'whole', 'whole'),
})
