import { dirname } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupOf, groupsIn, startSource, useExtendedWorld, valuesOf, writes } from './restore-further-world.ts'
import { addBackup, type Json, ownBackup, restoreInto } from './restore-sandboxes.ts'

const { world, targetWith, addMembers, restore, expectWhole } = useExtendedWorld()

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
    const { entries, tasks } = world.from.store.truth(world.pid)
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
    const [task] = world.from.store.truth(world.pid).tasks
    target.sandbox.store.change(target.pid, ({ entries }) => {
      for (const entry_id of ['N1', 'N2']) entries.push({ entry_id, name: task?.entry_name ?? '' })
    })
    const message = expect.stringMatching(
      /^the task groups by their names: ambiguous: .* matches (\w+, )?N1, N2\. Add --entries/,
    )
    await expect(restore(target)).rejects.toMatchObject({ exitCode: 2, message })
    expect(writes(target)).toEqual([])
  })

  test('lists a value that a later backup changed, and creates its new comments', async () => {
    const target = await targetWith(true)
    await restore(target)
    const later = await startSource()
    onTestFinished(() => later.close())
    later.store.change(world.pid, ({ tasks, posts }) => {
      tasks[0]?.labels.push({ name: 'added later', desc: '' })
      posts[0]?.comments.push({ ...structuredClone(posts[0].comments[0]), cid: 'later', raw_message: 'later' } as never)
    })
    target.sandbox.clearRequests()
    const newer = await addBackup(dirname(world.bag), '20260102T000000Z', await backupOf(later))
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
    const itself = { sandbox, pid: world.pid, entry: '' }
    expect(await restore(itself, { allowSource: true })).toMatchObject({ created: { task: 10, event: 8 }, inexact: [] })
    world.bag = await addBackup(dirname(world.bag), '20260102T000000Z', await backupOf(sandbox))
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
    const args = ['restore', world.bag, '--to-project', target.pid, '--json']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    const { code, stdout } = await run('collab-export', args, { env })
    const { not_carried, members_not_in_target, created } = JSON.parse(stdout)
    const caller = target.sandbox.store.project(target.pid).members[0]?.user.uid
    const uids = world.from.store.truth(world.pid).tasks.flatMap(({ members }) => members.map(({ uid }) => uid))
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
    const args = ['restore', world.bag, '--to-project', target.pid, '--entry', target.entry, '--archived-tasks']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    const { code, stdout, stderr } = await run('collab-export', [...args, '--json'], { env })
    expect(code).toBe(3)
    const { created, not_restored, not_carried, compared } = JSON.parse(stdout)
    const count = Object.values(valuesOf(world.from, world.pid, true).tasks).flatMap(({ comments }) => comments).length
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
      const own = await ownBackup(world.original)
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

test('a dry run says what would be created, and what not, and only reads', async () => {
  const target = await targetWith(true)
  const args = ['restore', world.bag, '--to-project', target.pid, '--archived-tasks', '--dry-run']
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
