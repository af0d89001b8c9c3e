import { newScratch } from '@collab-etl/harness/scratch'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, beforeEach, expect, onTestFinished } from 'vitest'
import { apiBackup } from './api-backup.ts'
import { type Given, ownBackup, type RestoreTarget, restoreInto } from './restore-sandboxes.ts'

const NONE = { tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 }
const SIZES = { tasks: 8, archived: 2, pages: 2, posts: 3, events: 8 }

/** What the tests of a file share. */
interface ExtendedWorld {
  /** The service that was backed up, its project, and the backup. */
  from: Sandbox
  pid: string
  original: string
  /** A copy of the backup of each test. */
  bag: string
}

/** The service of the tests, with values of every kind. To be closed. */
export async function startSource(): Promise<Sandbox> {
  const sandbox = await startSandbox({ projects: 1, ...SIZES, extended: true })
  sandbox.store.change(sandbox.pids[0] ?? '', ({ tasks, archived_tasks, entries, members, posts }) => {
    entries.push({ entry_id: 'empty', name: 'Nothing yet', pos: 1e9 })
    const [user, other] = members.map((member) => member.user)
    const [first, second] = tasks
    const common = { completed: 1, expire_date: '2026-03-04T05:06:07.000Z', labels: [{ name: 'urgent', desc: 'now' }] }
    Object.assign(first ?? {}, { ...structuredClone(common), members: [user, other] })
    Object.assign(second ?? {}, { todos: todos('twin', 'twin', 'third') })
    Object.assign(archived_tasks[0] ?? {}, { ...common, todos: todos('kept'), members: [user] })
    const [one] = posts
    const [comment] = posts.flatMap(({ comments }) => comments)
    if (one && comment) one.comments = [comment, { ...structuredClone(comment), cid: 'same-text' }]
  })
  return sandbox
}

export const backupOf = async (sandbox: Sandbox, folder?: string) =>
  (await apiBackup(sandbox, { formats: new Set(['jsonl']), isExtended: true, pids: sandbox.pids }, folder)).bag

/** Backs up a service that offers everything, once for all tests of a file. */
export function useExtendedWorld() {
  const world = {} as ExtendedWorld // complete in tests
  let kept: Awaited<ReturnType<typeof newScratch>>
  beforeAll(async () => {
    kept = await newScratch()
    world.from = await startSource()
    world.pid = world.from.pids[0] ?? ''
    world.original = await backupOf(world.from, kept.path)
  })
  afterAll(async () => {
    await world.from.close()
    await kept.remove()
  })
  beforeEach(async () => {
    world.bag = await ownBackup(world.original)
  })

  const addMembers = ({ sandbox, pid }: Pick<RestoreTarget, 'sandbox' | 'pid'>): void => {
    sandbox.store.change(pid, ({ members }) => {
      const own = new Set(members.map(({ user }) => user.uid))
      const added = world.from.store.project(world.pid).members.filter(({ user }) => !own.has(user.uid))
      members.push(...structuredClone(added as typeof members))
    })
  }

  return {
    world,
    /** Adds the members of the source to a project. */
    addMembers,

    /** A service with an empty project, whose members are those of the source. */
    async targetWith(extended: boolean | readonly string[], quirks: readonly string[] = []): Promise<RestoreTarget> {
      const sandbox = await startSandbox({ projects: 1, ...NONE, seed: 77, extended, quirks })
      onTestFinished(() => sandbox.close())
      const [pid = ''] = sandbox.pids
      addMembers({ sandbox, pid })
      const [entry] = sandbox.store.truth(pid).entries
      return { sandbox, pid, entry: entry?.entry_id ?? '' }
    },

    /** Restores archived tasks too, without provenance. */
    restore: (target: RestoreTarget, given: Given = {}) =>
      restoreInto(target, world.bag, {
        ...{ isExtended: true, entry: undefined, provenance: false, withArchived: true },
        ...given,
      }),

    /** Every value once, and the groups of the target before those that were created; comments in order, unless the service refused one. */
    expectWhole(target: RestoreTarget, groups: readonly string[] = [], isAnyRefused = false): void {
      const wanted = valuesOf(world.from, world.pid, true)
      const added = wanted.groups.filter((name) => !groups.includes(name))
      const order = (values: unknown) => (isAnyRefused ? withSortedComments(values) : values)
      const held = valuesOf(target.sandbox, target.pid, false)
      expect(order(held)).toEqual(order({ ...wanted, groups: [...groups, ...added] }))
    },
  }
}

/** A comment that was refused comes after those that were written meanwhile. */
function withSortedComments(values: unknown): unknown {
  return JSON.parse(JSON.stringify(values), (key, value) => (key === 'comments' ? value.toSorted() : value))
}

function todos(...names: readonly string[]) {
  return names.map((name, pos) => ({ todo_id: `todo-${pos}`, name, checked: pos % 2 === 1 ? 1 : 0, pos }))
}

export const writes = ({ sandbox }: RestoreTarget) => sandbox.requests.filter(({ method }) => method !== 'GET')
const by = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** What a project has beyond records and their texts; comments as they are restored. */
export function valuesOf({ store }: Sandbox, project: string, isSource: boolean) {
  const truth = store.truth(project)
  const { task_comments, archived_tasks, events, entries, posts } = truth
  const shown = ({ message, raw_message, owner, created_at }: (typeof posts)[number]['comments'][number]) =>
    isSource ? `${owner.display_name}, ${created_at}: ${raw_message}` : message
  const commentsOf = (tid: string, count: number) => {
    const all = task_comments[tid] ?? []
    // the service writes a note to each task; one without comments is not asked for them
    return (isSource ? (count > 0 ? all : []) : all.slice(1)).map(shown)
  }
  const tasks = [...truth.tasks, ...archived_tasks].map((task) => ({
    task: [task.name, task.desc, task.entry_name, task.completed, task.expire_date],
    archived: archived_tasks.some(({ tid }) => tid === task.tid),
    labels: task.labels.map(({ name }) => name).sort(),
    members: task.members.map(({ uid }) => uid).sort(),
    todos: task.todos.map(({ name, checked }) => [name, checked]),
    comments: commentsOf(task.tid, task.badges.comment_count),
  }))
  return {
    tasks: tasks.sort(by),
    groups: entries.map(({ name }) => name),
    posts: posts
      .map(({ post, comments }) => ({ post: [post.name, post.content], comments: comments.map(shown) }))
      .sort(by),
    events: events.map(({ name, start, end, location = '' }) => [name, start, end, location]).sort(by),
  }
}

export const groupsIn = ({ sandbox, pid: project }: RestoreTarget) =>
  sandbox.store.truth(project).entries.map(({ name }) => name)
