import { expect, test } from 'vitest'
import type { ProjectListItemRecord, Sandbox } from '../src/index.ts'
import { operate, sandboxForTest } from './support.ts'

async function listed(sandbox: Sandbox): Promise<ProjectListItemRecord[]> {
  return (await operate(sandbox, 'projects.list')).json as ProjectListItemRecord[] // the contract's tests check its shape
}

test('lists own projects, public ones, and one without rights', async () => {
  const projects = await listed(await sandboxForTest())
  expect(projects.map(({ curr_role, permission }) => [curr_role, permission])).toEqual([
    [1, 31],
    [2, 15],
    [3, 7],
    [4, 5],
    [2, 15],
    [2, 15],
    [2, 0],
  ])
  expect(projects[3]?.visibility).toBe(3)
  expect(projects.map(({ pos }) => pos)).toEqual(projects.map(({ pos }) => pos).sort((a, b) => a - b))
})

test('projects of others are neither listed nor readable', async () => {
  const sandbox = await sandboxForTest()
  const pids = (await listed(sandbox)).map(({ pid }) => pid)
  const outside = sandbox.store.projects.map(({ reference }) => reference.pid).filter((pid) => !pids.includes(pid))
  expect(outside.length).toBeGreaterThan(0)
  for (const pid of outside) {
    expect((await operate(sandbox, 'projects.get', { pid })).json).toMatchObject({ error_code: 400004 })
    expect((await operate(sandbox, 'tasks.list', { pid })).json).toMatchObject({ error_code: 600001 })
    expect((await operate(sandbox, 'webhooks.list', { pid })).json).toEqual([])
    expect(sandbox.store.truth(pid).listed).toBeNull()
  }
})

test('joining and leaving a project shows in the next answer', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const membership = sandbox.store.change(pid, ({ members }) => members.shift())
  expect((await listed(sandbox)).map((project) => project.pid)).not.toContain(pid)
  sandbox.store.change(pid, ({ members }) => membership && members.push(membership))
  expect((await listed(sandbox)).map((project) => project.pid)).toContain(pid)
})

test.each([
  ['administrator', 0, [200, 200]],
  ['member', 1, [200, 200]],
  ['visitor', 2, [200, 500]],
  ['guest', 3, [500, 500]],
] as const)('a %s may comment and create: %#', async (_role, index, expected) => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[index] ?? ''
  const tid = sandbox.store.project(pid).tasks[0]?.tid ?? ''
  const comment = await operate(sandbox, 'tasks.comments.create', { pid, tid, message: 'm' })
  const post = await operate(sandbox, 'posts.create', { pid, name: 'n' })
  expect([comment.status, post.status]).toEqual(expected)
  const deleted = await operate(sandbox, 'webhooks.delete', {
    pid,
    wid: sandbox.store.project(pid).webhooks[0]?.wid ?? '',
  })
  if (expected[1] === 500) expect(deleted.json).toEqual({ success: 'false' })
})

test('renaming a user shows everywhere, also in cached lists', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const { uid } = sandbox.store.caller
  const before = (await operate(sandbox, 'tasks.list', { pid })).text
  sandbox.store.changeUser(uid, (user) => {
    user.display_name = 'Neuer Name'
  })
  const after = (await operate(sandbox, 'tasks.list', { pid })).text
  expect(after).toBe(before.replaceAll('"display_name":"nora"', '"display_name":"Neuer Name"'))
  expect(after).not.toBe(before)
})

test('renaming, removing and adding a project shows in its records', async () => {
  const sandbox = await sandboxForTest()
  const pid = sandbox.pids[0] ?? ''
  const copy = sandbox.store.change(pid, (project) => {
    project.reference.name = 'Umbenannt'
    return project
  })
  const { json } = await operate(sandbox, 'tasks.list', { pid })
  expect(json).toContainEqual(expect.objectContaining({ project: expect.objectContaining({ name: 'Umbenannt' }) }))
  expect(sandbox.store.removeProject(pid)).toBe(true)
  expect(sandbox.store.removeProject(pid)).toBe(false)
  expect((await operate(sandbox, 'projects.get', { pid })).json).toMatchObject({ error_code: 400004 })
  sandbox.store.addProject(copy)
  expect((await operate(sandbox, 'projects.get', { pid })).status).toBe(200)
})
