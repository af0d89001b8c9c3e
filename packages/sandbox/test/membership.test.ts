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
