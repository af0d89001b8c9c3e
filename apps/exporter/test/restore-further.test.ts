import { dirname } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { newScratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { apiBackup } from './api-backup.ts'
import { addBackup, type Given, type Json, ownBackup, type RestoreTarget, restoreInto } from './restore-sandboxes.ts'

const NONE = { tasks: 0, archived: 0, pages: 0, posts: 0, events: 0 }
const SIZES = { tasks: 8, archived: 2, pages: 2, posts: 3, events: 8 }

/** The service that was backed up, its project, and the backup. */
let from: Sandbox
let pid: string
let original: string
let kept: Awaited<ReturnType<typeof newScratch>>
/** A copy of the backup of each test. */
let bag: string

/** The service of the tests, with values of every kind. To be closed. */
async function startSource(): Promise<Sandbox> {
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

const backupOf = async (sandbox: Sandbox, folder?: string) =>
  (await apiBackup(sandbox, { formats: new Set(['jsonl']), isExtended: true, pids: sandbox.pids }, folder)).bag

beforeAll(async () => {
  kept = await newScratch()
  from = await startSource()
  pid = from.pids[0] ?? ''
  original = await backupOf(from, kept.path)
})

afterAll(async () => {
  await from.close()
  await kept.remove()
})

beforeEach(async () => {
  bag = await ownBackup(original)
})

function todos(...names: readonly string[]) {
  return names.map((name, pos) => ({ todo_id: `todo-${pos}`, name, checked: pos % 2 === 1 ? 1 : 0, pos }))
}

/** A service with an empty project, whose members are those of the source. */
async function targetWith(extended: boolean | readonly string[]): Promise<RestoreTarget> {
  const sandbox = await startSandbox({ projects: 1, ...NONE, seed: 77, extended })
  onTestFinished(() => sandbox.close())
  const [target = ''] = sandbox.pids
  addMembers({ sandbox, pid: target })
  const [entry] = sandbox.store.truth(target).entries
  return { sandbox, pid: target, entry: entry?.entry_id ?? '' }
}

/** Adds the members of the source to a project. */
function addMembers({ sandbox, pid: target }: Pick<RestoreTarget, 'sandbox' | 'pid'>): void {
  sandbox.store.change(target, ({ members }) => {
    const own = new Set(members.map(({ user }) => user.uid))
    const added = from.store.project(pid).members.filter(({ user }) => !own.has(user.uid))
    members.push(...structuredClone(added as typeof members))
  })
}

const restore = (target: RestoreTarget, given: Given = {}) =>
  restoreInto(target, bag, { isExtended: true, entry: undefined, provenance: false, withArchived: true, ...given })

const writes = ({ sandbox }: RestoreTarget) => sandbox.requests.filter(({ method }) => method !== 'GET')
const by = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

/** What a project has beyond records and their texts; comments as they are restored. */
function valuesOf({ store }: Sandbox, project: string, isSource: boolean) {
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
    posts: posts.map(({ post, comments }) => [post.name, post.content, comments.map(shown)]).sort(by),
    events: events.map(({ name, start, end, location = '' }) => [name, start, end, location]).sort(by),
  }
}

/** Every value once, and the groups of the target before those that were created. */
function expectWhole(target: RestoreTarget, groups: readonly string[] = []): void {
  const wanted = valuesOf(from, pid, true)
  const added = wanted.groups.filter((name) => !groups.includes(name))
  expect(valuesOf(target.sandbox, target.pid, false)).toEqual({ ...wanted, groups: [...groups, ...added] })
}

const groupsIn = ({ sandbox, pid: project }: RestoreTarget) =>
  sandbox.store.truth(project).entries.map(({ name }) => name)

describe('into a service that offers everything, a restore', () => {
  test('creates every value of the sample once, and finds each equal', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    const first = await restore(target)
    expect(first).toMatchObject({ notRestored: [], unknown: [], inexact: [], notCompared: [] })
    expectWhole(target, before)
    const ids = new Set(target.sandbox.store.truth(target.pid).entries.map(({ entry_id }) => entry_id))
    expect(first.mapping.rows.filter(({ to }) => to === null || !ids.has(to))).toEqual([])
    const { page: _page, post: _post, task: _task, comment: _comment, ...further } = first.created
    const { page: _p, post: _q, task: _t, ...compared } = first.compared
    expect(compared).toEqual(further)
    for (const kind of ['group', 'due_date', 'label', 'member', 'todo', 'todo_checked', 'task_comment'] as const)
      expect(further[kind], kind).toBeGreaterThan(0)
    expect(further).toMatchObject({ archived_state: 2, post_comment: expect.any(Number), event: 8 })
    target.sandbox.clearRequests()
    expect(await restore(target)).toMatchObject({
      before: first.created,
      inexact: [],
      finishedBefore: { at: expect.any(String) },
    })
    expect(writes(target)).toEqual([])
  })

  test('leaves tasks in the group of --entry, and creates no group', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    expect(await restore(target, { entry: target.entry })).toMatchObject({ notRestored: [], inexact: [] })
    expect(groupsIn(target)).toEqual(before)
  })

  test('keeps tasks where an earlier run created them, and other groups by their pairs and names', async () => {
    const target = await targetWith(true)
    const [first = '', ...others] = groupsIn(target)
    const controller = new AbortController()
    const onItem = (done: number) => done === 2 + 3 + 1 && controller.abort()
    await restore(target, { entry: target.entry, onItem, signal: controller.signal }).catch(() => {})
    const { entries, tasks } = from.store.truth(pid)
    const paired = entries.find(({ entry_id }) => entry_id === 'empty')
    const { mapping, notRestored } = await restore(target, { entries: [`${paired?.entry_id}=${target.entry}`] })
    expect(notRestored).toEqual([])
    const ways = new Map(mapping.rows.map(({ group, to, by }) => [group.id, { to, by }]))
    expect(ways.get('empty')).toEqual({ to: target.entry, by: 'pair' })
    expect([...ways.values()].filter(({ by }) => by === 'entry')).toEqual([{ to: target.entry, by: 'entry' }])
    const made = [...ways.values()].filter(({ by }) => by === 'created').length
    expect(groupsIn(target)).toHaveLength(1 + others.length + made)
    const held = target.sandbox.store.truth(target.pid).tasks.filter(({ entry_name }) => entry_name === first)
    const [kept] = [...ways].find(([, { by }]) => by === 'entry') ?? []
    expect(held).toHaveLength(tasks.filter(({ entry_id }) => entry_id === kept).length)
  })

  test('is refused if two groups of the target have the name of one of the backup', async () => {
    const target = await targetWith(true)
    const [task] = from.store.truth(pid).tasks
    target.sandbox.store.change(target.pid, ({ entries }) => {
      for (const entry_id of ['N1', 'N2']) entries.push({ entry_id, name: task?.entry_name ?? '' })
    })
    const message = expect.stringMatching(
      /^the task groups by their names: ambiguous: .* matches (\w+, )?N1, N2\. Add --entries/,
    )
    await expect(restore(target)).rejects.toMatchObject({ exitCode: 2, message })
    expect(writes(target)).toEqual([])
  })

  test('killed in the middle, and again, resumes and creates nothing twice', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    const args = ['restore', bag, '--to-project', target.pid, '--archived-tasks', '--settle', '0']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    for (const operation of ['entries.create', 'tasks.comments.create', 'events.create']) {
      let kill = () => {}
      const stop = target.sandbox.beforeRequest(async (info) => {
        if (info.operation !== operation) return
        stop()
        kill()
      })
      const killed = await run('collab-export', args, {
        env,
        onStart: (started) => (kill = () => started.kill('SIGKILL')),
      })
      expect(killed.signal, operation).toBe('SIGKILL')
    }
    const ended = await run('collab-export', args, { env })
    expect({ code: ended.code, stdout: ended.stdout }).toMatchObject({ code: 0 })
    expectWhole(target, before)
  })

  test('after lost answers looks first, and creates nothing twice', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    for (const operation of [
      'entries.create',
      'tasks.members.add',
      'tasks.todos.create',
      'tasks.comments.create',
      'posts.comments.create',
      'events.create',
    ] as const) {
      target.sandbox.faults.add({ kind: 'reset', operation, processed: true })
      target.sandbox.faults.add({ kind: 'reset', operation })
    }
    expect(await restore(target)).toMatchObject({ notRestored: [], unknown: [], inexact: [] })
    expectWhole(target, before)
  })

  test('lists a value that a later backup changed, and creates its new comments', async () => {
    const target = await targetWith(true)
    await restore(target)
    const later = await startSource()
    onTestFinished(() => later.close())
    later.store.change(pid, ({ tasks, posts }) => {
      tasks[0]?.labels.push({ name: 'added later', desc: '' })
      posts[0]?.comments.push({ ...structuredClone(posts[0].comments[0]), cid: 'later', raw_message: 'later' } as never)
    })
    target.sandbox.clearRequests()
    const newer = await addBackup(dirname(bag), '20260102T000000Z', await backupOf(later))
    const { inexact, created } = await restoreInto(target, newer, {
      ...{ isExtended: true, entry: undefined, provenance: false, withArchived: true },
    })
    expect(inexact).toMatchObject([{ kind: 'label', title: 'added later', how: 'missing' }])
    expect(created).toEqual({ page: 0, post: 0, task: 0, comment: 0, post_comment: 1 })
    expect(writes(target)).toHaveLength(1)
  })

  test('into the source itself, from a newer backup, creates nothing and finds nothing changed', async () => {
    const sandbox = await startSource()
    onTestFinished(() => sandbox.close())
    const itself = { sandbox, pid, entry: '' }
    expect(await restore(itself, { allowSource: true })).toMatchObject({ created: { task: 10, event: 8 }, inexact: [] })
    bag = await addBackup(dirname(bag), '20260102T000000Z', await backupOf(sandbox))
    sandbox.clearRequests()
    expect(await restore(itself, { allowSource: true })).toMatchObject({
      notRestored: [],
      inexact: [],
      notCompared: [],
    })
    expect(writes(itself)).toEqual([])
  })

  test('leaves events out after the first one that the service places at another time', async () => {
    const target = await targetWith(true)
    target.sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'events.list') return
      target.sandbox.store.change(target.pid, ({ events }) => {
        for (const { event } of events) event.start = new Date(Date.parse(event.start) - 3_600_000).toISOString()
      })
    })
    const { created, notRestored, inexact } = await restore(target)
    expect(created.event).toBe(1)
    expect(notRestored).toMatchObject([{ kind: 'event', reason: 'stopped', more: 6 }])
    expect(inexact).toMatchObject([{ kind: 'event', field: 'time' }])
  })

  test('names people who are not members of the target', async () => {
    const target = await targetWith(true)
    target.sandbox.store.change(target.pid, (project) => {
      project.members = project.members.slice(0, 1)
    })
    const args = ['restore', bag, '--to-project', target.pid, '--json']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    const { code, stdout } = await run('collab-export', args, { env })
    const { not_carried, members_not_in_target, created } = JSON.parse(stdout)
    const caller = target.sandbox.store.project(target.pid).members[0]?.user.uid
    const uids = from.store.truth(pid).tasks.flatMap(({ members }) => members.map(({ uid }) => uid))
    const missing = uids.filter((uid) => uid !== caller)
    expect(code).toBe(0)
    expect(members_not_in_target.map(({ uid }: Json) => uid).sort()).toEqual([...new Set(missing)].sort())
    expect([not_carried.members, created.member ?? 0]).toEqual([missing.length, uids.length - missing.length])
    addMembers(target)
    expect(await restore(target, { withArchived: false })).toMatchObject({
      created: { task: 0, member: missing.length },
      inexact: [],
    })
  })
})

describe('into a service that offers some of it, a restore', () => {
  const onlySome = ['task-comments']

  test('creates what can be compared, tries what the page reads, and lists the rest first', async () => {
    const target = await targetWith(onlySome)
    const args = ['restore', bag, '--to-project', target.pid, '--entry', target.entry, '--archived-tasks']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    const { code, stdout, stderr } = await run('collab-export', [...args, '--json'], { env })
    expect(code).toBe(3)
    const { created, not_restored, not_carried, compared } = JSON.parse(stdout)
    const count = Object.values(valuesOf(from, pid, true).tasks).flatMap(({ comments }) => comments).length
    expect([created.task_comment, compared.task_comment]).toEqual([count, count])
    expect(not_restored).toMatchObject([
      { kind: 'post_comment', reason: 'not_offered', count: expect.any(Number) },
      { kind: 'event', reason: 'not_offered', count: 8 },
    ])
    expect(not_carried).toMatchObject({
      labels: expect.any(Number),
      completions: expect.any(Number),
      archived_states: 2,
    })
    expect(stderr).toContain('will not be restored: ')
    expect(stderr).toMatch(/labels of tasks \(\d+\)/)
    const paths = writes(target).map(({ operation }) => operation)
    expect(paths.filter((operation) => operation === null)).toHaveLength(2)
  })

  test('ends a kind with the first answer that it is not offered, until a later run', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    target.sandbox.faults.add({ kind: 'http', status: 404, operation: 'tasks.labels.add', times: 'always' })
    const first = await restore(target)
    expect(first.notRestored).toMatchObject([{ kind: 'label', reason: 'not_offered', more: expect.any(Number) }])
    expect(writes(target).filter(({ operation }) => operation === 'tasks.labels.add')).toHaveLength(1)
    target.sandbox.faults.clear()
    const second = await restore(target)
    expect(second).toMatchObject({ notRestored: [], inexact: [], created: { task: 0 } })
    expect(second.created.label).toBe(1 + (first.notRestored[0]?.more ?? 0))
    expectWhole(target, before)
  })

  test('into one that offers nothing is the same as without trying anything', async () => {
    const outputs: unknown[] = []
    for (const extended of ['auto', 'off']) {
      const target = await targetWith(false)
      const own = await ownBackup(original)
      const args = [
        'restore',
        own,
        '--to-project',
        target.pid,
        '--entry',
        target.entry,
        '--extended',
        extended,
        '--json',
      ]
      const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
      const { code, stdout, stderr } = await run('collab-export', args, { env })
      const { backup: _backup, journal: _journal, base_url: _url, duration_ms: _time, ...document } = JSON.parse(stdout)
      outputs.push({ code, stderr, document, sent: writes(target).map(({ path }) => path) })
    }
    expect(outputs[0]).toMatchObject({ code: 0, stderr: '' })
    expect(outputs[0]).toEqual(outputs[1])
  })
})

const OPERATIONS = [
  'entries.create',
  'tasks.create',
  'tasks.expire',
  'tasks.labels.add',
  'tasks.members.add',
  'tasks.todos.create',
  'tasks.todos.check',
  'tasks.comments.create',
  'tasks.complete',
  'tasks.archive',
  'posts.comments.create',
  'events.create',
] as const

test('any sequence of interruptions and lost answers writes each value once', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const fault = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    kind: fc.constantFrom('reset', 'truncate', 'http', 'error', 'error_in_200', 'invalid_json', 'empty'),
    processed: fc.boolean(),
    skip: fc.nat({ max: 3 }),
  })
  const runs = fc.array(fc.record({ faults: fc.array(fault, { maxLength: 4 }), until: fc.nat({ max: 30 }) }), {
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(runs, async (interrupted) => {
      const target = await targetWith(true)
      const before = groupsIn(target)
      bag = await ownBackup(original)
      for (const { faults, until } of interrupted) {
        for (const each of faults) target.sandbox.faults.add(each)
        const controller = new AbortController()
        const onItem = (done: number) => done >= until && controller.abort()
        await restore(target, { onItem, signal: controller.signal }).catch(() => {})
        target.sandbox.faults.clear()
      }
      expect(await restore(target)).toMatchObject({ notRestored: [], unknown: [], inexact: [], notCompared: [] })
      expectWhole(target, before)
    }),
    { numRuns: times(2, 40) },
  )
})

test('a dry run says what would be created, and what not, and only reads', async () => {
  const target = await targetWith(true)
  const args = ['restore', bag, '--to-project', target.pid, '--archived-tasks', '--dry-run']
  const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
  const { code, stdout } = await run('collab-export', [...args, '--json'], { env })
  expect(code).toBe(0)
  expect(writes(target)).toEqual([])
  const { to_create, not_carried, plan, entries } = JSON.parse(stdout)
  const { created } = await restore(target)
  expect(to_create).toEqual(created)
  expect(not_carried).not.toHaveProperty('labels')
  expect(entries.every(({ by }: Json) => by === 'created' || by === 'name')).toBe(true)
  expect(plan.filter(({ kind }: Json) => kind === 'event')).toHaveLength(8)
  const later = JSON.parse((await run('collab-export', [...args, '--json'], { env })).stdout)
  expect(later).toMatchObject({ to_create: { page: 0, post: 0, task: 0, comment: 0 }, created_before: created })
})
