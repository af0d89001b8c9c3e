import type { OperationId } from '@collab-etl/contract'
import { exactNumber } from '@collab-etl/contract/exact-json'
import { emptyProject } from '@collab-etl/harness/records'
import { type Exchange, type Rule, Store, startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'

/** A list of records as they are sent: each is a JSON text. */
type List = readonly string[]

/** What the service answers for one project. */
interface World {
  readonly project: { readonly name: string }
  readonly tasks: List
  readonly archived: List
  readonly pages: List
  readonly events: List
}

/** How a night reads: in which order records are formatted, and what happens to the warehouse before. */
export interface Night {
  readonly world: World
  readonly isFull: boolean
  readonly readAs: string
  /** A statement that another session runs before. */
  readonly damage: string | null
}

const TIMES = ['2024-01-01T00:00:00.000Z', '2024-02-02T00:00:00.000Z', '2024-03-03T00:00:00.000Z']
const EPOCH = '1970-01-01T00:00:00.000Z'

const isRare = fc.integer({ min: 0, max: 14 }).map((number) => number === 7)

/** Names and numbers that are not stored as they are sent, or only digit by digit. */
const user = fc.record({
  uid: fc.constantFrom('u1', 'u2', 'u3'),
  name: fc.oneof({ weight: 9, arbitrary: fc.constantFrom('Ann', 'Bob') }, { weight: 1, arbitrary: fc.constant('A\0') }),
  level: isRare.map((isLong) => (isLong ? exactNumber('9007199254740993') : undefined)),
  display_name: fc.constant('x'),
  avatar: fc.constantFrom('a.png', ''),
  desc: fc.constant(''),
  status: fc.constant(1),
  online: fc.constantFrom(0, 0, 1),
})

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('', 'plain', 'Zeilen\nund "Zeichen" – 字') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('see /posts/abc', '[file](/files/f1)', 'wiki:77', 'https://else.where/posts/9'),
  },
)

/** Oddities that make a record one with conversion issues, or one of another project. */
const odd = fc.record({ isCoerced: isRare, isLeftOut: isRare, hasExtra: isRare, isElsewhere: isRare, isCut: isRare })

const shownProject = (name: string) =>
  fc.constantFrom(name, name, name, name, name, 'Former').map((shown) => ({ name: shown, pic: 'p', bg: '#1' }))

const common = {
  format: fc.constantFrom(0, 0, 0, 1, 2),
  odd,
  name: fc.constantFrom('one', 'two'),
  updated: fc.constantFrom(...TIMES),
}

const task = fc.record({
  ...common,
  id: fc.constantFrom('t1', 't2', 't3', 't4', 't5', 't6'),
  entry: fc.constantFrom('e1', 'e1', 'e2', ''),
  entryName: fc.constantFrom('Todo', 'Todo', 'Todo', 'Doing', 'To\0do'),
  desc: text,
  labels: fc.uniqueArray(fc.constantFrom('red', 'green'), { maxLength: 2 }),
  todos: fc.uniqueArray(fc.constantFrom('c1', 'c2'), { maxLength: 2 }),
  members: fc.uniqueArray(user, { maxLength: 2, selector: ({ uid }) => uid }),
  watchers: fc.uniqueArray(user, { maxLength: 2, selector: ({ uid }) => uid }),
  project: shownProject('Own'),
})
type TaskSpec = typeof task extends fc.Arbitrary<infer T> ? T : never

const page = fc.record({
  ...common,
  id: fc.constantFrom('d1', 'd2', 'd3', 'd4'),
  parent: fc.constantFrom('', '', 'd1', 'd2', 'missing'),
  content: text,
  owner: user,
  watchers: fc.uniqueArray(user, { maxLength: 2, selector: ({ uid }) => uid }),
})

const event = fc.record({
  ...common,
  id: fc.constantFrom('v1', 'v2', 'v3'),
  start: fc.constantFrom(...TIMES),
  desc: text,
  attendees: fc.uniqueArray(user, { maxLength: 2, selector: ({ uid }) => uid }),
  project: shownProject('Own'),
})

/** Formats a record: plain, with its fields in another order, or with white space and escapes. */
function sent(record: object, format: number): string {
  if (format === 1) return JSON.stringify(Object.fromEntries(Object.entries(record).reverse()))
  return format === 2 ? ` ${JSON.stringify(record, null, 1).replaceAll('/', '\\/')}\n` : JSON.stringify(record)
}

function taskText({ odd: of, ...spec }: TaskSpec, pid: string, isArchived: boolean): string {
  const record: Record<string, unknown> = {
    ...{
      tid: spec.id,
      name: spec.name,
      pid: of.isElsewhere ? 'other' : pid,
      entry_id: spec.entry,
      entry_name: spec.entry ? spec.entryName : '',
    },
    ...{ created_at: TIMES[0], updated_at: spec.updated, desc: spec.desc, expire_date: EPOCH },
    labels: spec.labels.map((name) => ({ name, desc: '' })),
    todos: spec.todos.map((id) => ({ todo_id: id, name: 'step', checked: 0, pos: 1 })),
    badges: {
      expire_date: EPOCH,
      comment_count: 0,
      todo_checked_count: 0,
      todo_count: spec.todos.length + (of.isCut ? 1 : 0),
      file_count: 0,
    },
    ...{
      members: spec.members,
      watchers: spec.watchers,
      completed: of.isCoerced ? '1' : 0,
      project: { pid, ...spec.project },
    },
    ...(isArchived ? {} : { pos: 1, completed_date: EPOCH }),
    ...(of.hasExtra && { new_field: { deep: [1] } }),
  }
  if (of.isLeftOut) delete record['desc']
  return sent(record, spec.format)
}

const list = <T>(record: fc.Arbitrary<T>, maxLength: number) => fc.array(record, { maxLength })

/** A world as specifications, of which each night changes a few. */
const worldSpec = fc.record({
  tasks: list(task, 6),
  archived: list(task, 5),
  pages: list(page, 4),
  events: fc.uniqueArray(event, { maxLength: 4, selector: ({ id, start }) => `${id} ${start}` }),
  name: fc.constantFrom('Own', 'Own', 'Own', 'Renamed'),
})
type WorldSpec = typeof worldSpec extends fc.Arbitrary<infer T> ? T : never

function worldOf(spec: WorldSpec, pid: string): World {
  return {
    project: { name: spec.name },
    tasks: spec.tasks.map((one) => taskText(one, pid, false)),
    archived: [...new Map(spec.archived.map((one) => [one.id, taskText(one, pid, true)])).values()],
    pages: spec.pages.map(({ odd: of, ...one }) =>
      sent(
        {
          ...{
            page_id: one.id,
            parent_id: one.parent,
            pid: of.isElsewhere ? 'other' : pid,
            name: one.name,
            summary: '',
            content: one.content,
          },
          ...{ created_at: TIMES[0], updated_at: one.updated, owner: one.owner, watchers: one.watchers },
          ...(of.hasExtra && { new_field: 1 }),
        },
        one.format,
      ),
    ),
    events: spec.events.map(({ odd: of, ...one }) =>
      sent(
        {
          ...{
            event_id: one.id,
            name: one.name,
            summary: '',
            desc: one.desc,
            start: one.start,
            end: one.start,
            recurrence: of.isCut ? 1 : 0,
          },
          ...{ attendees: one.attendees, project: { pid: of.isElsewhere ? 'other' : pid, ...one.project } },
        },
        one.format,
      ),
    ),
  }
}

/** Nights: the first world, and what each later one has in place of the one before. */
export const nights = fc.record({
  first: worldSpec,
  later: fc.array(
    fc.record({
      changes: fc.array(
        fc.record({ list: fc.constantFrom('tasks', 'archived', 'pages', 'events'), index: fc.nat(5), from: worldSpec }),
        { maxLength: 2 },
      ),
      isFull: isRare,
      readAs: fc.constantFrom('a', 'a', 'a', 'a', 'b'),
      name: fc.constantFrom(null, null, null, 'Own', 'Renamed'),
      damage: fc.constantFrom(null, null, null, 'task', 'user', 'entry'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
type NightsSpec = typeof nights extends fc.Arbitrary<infer T> ? T : never

export function scriptOf({ first, later }: NightsSpec, pid: string): Night[] {
  let spec = first
  const script: Night[] = [{ world: worldOf(spec, pid), isFull: false, readAs: 'a', damage: null }]
  for (const night of later) {
    for (const { list: name, index, from } of night.changes) {
      const taken = (from[name as 'tasks'] ?? [])[0]
      const of = spec[name as 'tasks'].filter((_, place) => place !== index)
      spec = { ...spec, [name]: taken === undefined ? of : [...of.slice(0, index), taken, ...of.slice(index)] }
    }
    if (night.name !== null) spec = { ...spec, name: night.name }
    const events = [...new Map(spec.events.map((one) => [`${one.id} ${one.start}`, one])).values()]
    spec = { ...spec, events }
    const world = worldOf(spec, pid)
    script.push({ world, isFull: night.isFull, readAs: night.readAs, damage: damageOf(night.damage, pid) })
  }
  return script
}

function damageOf(what: string | null, pid: string): string | null {
  if (what === 'task') return `DELETE FROM collab.tasks WHERE pid = '${pid}' AND tid = 't1'`
  if (what === 'user') return "DELETE FROM collab.users WHERE uid = 'u1'"
  return what === 'entry' ? `DELETE FROM collab.entries WHERE pid = '${pid}' AND entry_id = 'e1'` : null
}

/** A service whose projects have lists that the test sets, as texts. */
export async function startService() {
  const caller = { uid: 'u0', name: 'Owner', display_name: 'o', avatar: '', desc: '', status: 1, online: 0 }
  const store = new Store({ sequence: 0, seed: '1', caller, users: [caller], personal_webhooks: [], projects: [] })
  const sandbox = await startSandbox({ store, token: 't' })
  const worlds = new Map<string, World>()
  /** Operations whose next answer breaks off. */
  const breaking = new Set<OperationId>()
  const list = (on: OperationId, of: (world: World, params: Exchange['params']) => List): Rule => ({
    on,
    does: ({ params, response }) => {
      const world = worlds.get(String(params['pid']))
      const body = `[${world === undefined ? '' : of(world, params).join(',')}]`
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
      if (breaking.delete(on))
        response.write(body.slice(0, body.length / 2), () => setTimeout(() => response.destroy(), 20))
      else response.end(body)
    },
  })
  sandbox.follow([
    list('tasks.list', ({ tasks }) => tasks),
    list('tasks.archived.list', ({ archived }, { page, size }) =>
      Number(page) < 1 ? [] : archived.slice((Number(page) - 1) * Number(size), Number(page) * Number(size)),
    ),
    list('pages.list', ({ pages }) => pages),
    list('events.list', ({ events }, { start, end }) =>
      events.filter((text) => {
        const time = Date.parse(JSON.parse(text).start)
        return time >= Number(start) && time <= Number(end)
      }),
    ),
  ])
  /** Shows a project. */
  const show = (pid: string, world: World) => {
    worlds.set(pid, world)
    store.addProject({ ...emptyProject(pid, 1), reference: { pid, name: world.project.name, pic: 'p', bg: '#1' } })
    store.change(pid, ({ members }) => members.push({ user: caller, role: 2, permission: 15 }))
  }
  return { baseUrl: sandbox.baseUrl, show, breaking, close: () => sandbox.close() }
}
