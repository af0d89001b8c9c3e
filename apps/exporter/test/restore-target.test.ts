import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { describe, expect, test } from 'vitest'
import { alteredService } from './altered-service.ts'
import { type Given, restoreInto, useRestoreWorld } from './restore-sandboxes.ts'

const world = useRestoreWorld({ pages: 3, posts: 2, tasks: 8 })

const restore = (given: Given = {}) => restoreInto(world.target, world.bag, { provenance: false, ...given })
const creations = () => world.target.sandbox.requests.filter(({ method }) => method === 'POST')

async function command(...more: string[]) {
  const env = { COLLAB_BASE_URL: world.target.sandbox.baseUrl, COLLAB_TOKEN: world.target.sandbox.token }
  return run('collab-export', ['restore', world.bag, '--to-project', world.target.pid, ...more], {
    env,
    cwd: await scratch(),
  })
}

/** Changes what the token's user may do in the world.target. */
function membership(change: { role: number; permission: number } | null): void {
  world.target.sandbox.store.change(world.target.pid, (project, { uid }) => {
    const member = project.members.find(({ user }) => user.uid === uid)
    if (change === null) project.members = project.members.filter((other) => other !== member)
    else Object.assign(member ?? {}, change)
    if (change?.permission === 5) project.visibility = 3
  })
}

describe('a restore reads first whether the token may create', () => {
  test.each([
    ['visitor', { role: 3, permission: 7 }, /user is a visitor there \(permission 7\)/],
    ['guest', null, /user is a guest there \(permission 5\)/],
    ['barred', { role: 2, permission: 0 }, /may not operate there \(permission 0\)/],
  ])('as %s: exit code 2, also in a dry run', async (_, change, message) => {
    membership(change)
    if (change === null) world.target.sandbox.store.change(world.target.pid, (project) => (project.visibility = 3))
    for (const more of [[], ['--dry-run']]) {
      const { code, stdout, stderr } = await command(...more)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^collab-export: --to-project: .*\n$/)
      expect(stderr).toMatch(message)
    }
    expect(creations()).toEqual([])
    expect(await readdir(dirname(world.bag))).toEqual(['20260101T000000Z'])
  })

  test('an unlisted, an archived and a missing project are refused, each by name', async () => {
    world.target.sandbox.store.change(world.target.pid, (project) => (project.archived = 1))
    expect(await command('--dry-run')).toMatchObject({ code: 2, stderr: expect.stringMatching(/is archived/) })
    world.target.sandbox.store.change(world.target.pid, (project) => (project.archived = 0))
    const baseUrl = await alteredService(world.target.sandbox, [
      { method: 'GET', path: 'projects', answered: () => [] },
    ])
    await expect(restore({ baseUrl })).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/not a member/),
    })
    membership(null)
    expect(await command('--dry-run')).toMatchObject({ code: 2, stderr: expect.stringMatching(/does not exist/) })
    expect(creations()).toEqual([])
  })

  test('a member may create; without an address, no request is sent', async () => {
    membership({ role: 2, permission: 15 })
    expect((await restore()).created).toMatchObject({ page: 3, post: 2, task: 8 })
    const args = ['restore', world.bag, '--to-project', world.target.pid, '--dry-run']
    const offline = await run('collab-export', args, { cwd: await scratch() })
    expect(offline).toMatchObject({ code: 0, stdout: expect.stringMatching(/no address: .*not checked/) })
  })
})

describe('a task group that no task of the target names', () => {
  test('is a warning of the dry run and of the restore', async () => {
    const warned = /task group nowhere was not found in project \S+/
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await command('--entry', 'nowhere', '--settle', '0', ...more)
      expect(stdout).toMatch(warned)
    }
    const json = JSON.parse((await command('--entry', world.target.entry, '--dry-run', '--json')).stdout)
    expect(json.entries[0]).toMatchObject({ to: world.target.entry, named_in_target: false })
  })

  test('is no warning once an open or archived task names it', async () => {
    const [task] = world.from.store.truth(world.from.pids[0] ?? '').tasks
    for (const list of ['tasks', 'archived_tasks'] as const) {
      world.target.sandbox.store.change(world.target.pid, (project) => {
        const own = {
          ...structuredClone(task),
          pid: world.target.pid,
          tid: 'own',
          name: 'own',
          entry_id: world.target.entry,
        }
        Object.assign(project, { tasks: [], archived_tasks: [], [list]: [own] })
      })
      const { stdout } = await command('--entry', world.target.entry, '--dry-run')
      expect(stdout).not.toContain('was not found in project')
    }
    world.target.sandbox.faults.add({
      kind: 'error',
      operation: 'tasks.archived.list',
      errorCode: 600027,
      times: 'always',
    })
    expect((await restore({ entry: 'other' })).created).toMatchObject({ page: 3, post: 2, task: 0 })
  })

  test('ends with its first refused task, which is listed once; other groups continue', async () => {
    const old = [...new Set(world.from.store.truth(world.from.pids[0] ?? '').tasks.map(({ entry_id }) => entry_id))]
    const [wrong = ''] = old
    const entries = old.map((id) => `${id}=${id === wrong ? 'nowhere' : world.target.entry}`)
    const tasks = world.from.store
      .truth(world.from.pids[0] ?? '')
      .tasks.filter(({ entry_id }) => entry_id === wrong).length
    expect(tasks).toBeGreaterThan(1)
    const { created, notRestored } = await restore({ entries })
    expect(created).toMatchObject({ page: 3, post: 2, task: 8 - tasks })
    expect(notRestored).toMatchObject([{ kind: 'task', reason: 'refused', more: tasks - 1 }])
    expect(notRestored[0]?.message).toMatch(/600003.*; left for the next run: \d+ other tasks? of task group nowhere/)
    expect(creations()).toHaveLength(3 + 2 + 8 - tasks + 1)
    const args = ['--settle', '0', '--json', ...entries.flatMap((pair) => ['--entries', pair])]
    const { code, stdout } = await command(...args)
    expect(code).toBe(3)
    expect(JSON.parse(stdout).not_restored).toMatchObject([{ kind: 'task', count: tasks, records: [{}] }])
  })

  test('does not end with a refused task once the group is known', async () => {
    world.target.sandbox.faults.add({ kind: 'error', operation: 'tasks.create', errorCode: 600003, skip: 2, times: 1 })
    const { created, notRestored } = await restore()
    expect({ created, left: notRestored.length }).toMatchObject({ created: { task: 7 }, left: 1 })
    expect((await restore()).created).toMatchObject({ task: 1 })
  })
})
