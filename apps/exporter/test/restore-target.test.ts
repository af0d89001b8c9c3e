import { readdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import type { Sandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { alteredService } from './altered-service.ts'
import {
  bagOf,
  emptySandbox,
  fullSandbox,
  type Given,
  ownBackup,
  type RestoreTarget,
  restoreInto,
} from './restore-sandboxes.ts'

let from: Sandbox
let target: RestoreTarget
let backup: string

beforeAll(async () => {
  from = await fullSandbox({ pages: 3, posts: 2, tasks: 8 })
})

afterAll(() => from.close())

beforeEach(async () => {
  target = await emptySandbox()
  backup = await ownBackup(await bagOf(from))
})

const restore = (given: Given = {}) => restoreInto(target, backup, { provenance: false, ...given })
const creations = () => target.sandbox.requests.filter(({ method }) => method === 'POST')

async function command(...more: string[]) {
  const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
  return run('collab-export', ['restore', backup, '--to-project', target.pid, ...more], { env, cwd: await scratch() })
}

/** Changes what the token's user may do in the target. */
function membership(change: { role: number; permission: number } | null): void {
  target.sandbox.store.change(target.pid, (project, { uid }) => {
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
    if (change === null) target.sandbox.store.change(target.pid, (project) => (project.visibility = 3))
    for (const more of [[], ['--dry-run']]) {
      const { code, stdout, stderr } = await command(...more)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toMatch(/^collab-export: --to-project: .*\n$/)
      expect(stderr).toMatch(message)
    }
    expect(creations()).toEqual([])
    expect(await readdir(dirname(backup))).toEqual(['20260101T000000Z'])
  })

  test('an unlisted, an archived and a missing project are refused, each by name', async () => {
    target.sandbox.store.change(target.pid, (project) => (project.archived = 1))
    expect(await command('--dry-run')).toMatchObject({ code: 2, stderr: expect.stringMatching(/is archived/) })
    target.sandbox.store.change(target.pid, (project) => (project.archived = 0))
    const baseUrl = await alteredService(target.sandbox, [{ method: 'GET', path: 'projects', answered: () => [] }])
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
    const args = ['restore', backup, '--to-project', target.pid, '--dry-run']
    const offline = await run('collab-export', args, { cwd: await scratch() })
    expect(offline).toMatchObject({ code: 0, stdout: expect.stringMatching(/no address: .*not checked/) })
  })
})

describe('a task group that no task of the target names', () => {
  test('is a warning of the dry run and of the restore', async () => {
    const warned = /no task of project \S+ is in task group nowhere/
    for (const more of [['--dry-run'], []]) {
      const { stdout } = await command('--entry', 'nowhere', '--settle', '0', ...more)
      expect(stdout).toMatch(warned)
    }
    const json = JSON.parse((await command('--entry', target.entry, '--dry-run', '--json')).stdout)
    expect(json.entries[0]).toMatchObject({ to: target.entry, named_in_target: false })
  })

  test('is no warning once an open or archived task names it', async () => {
    const [task] = from.store.truth(from.pids[0] ?? '').tasks
    for (const list of ['tasks', 'archived_tasks'] as const) {
      target.sandbox.store.change(target.pid, (project) => {
        const own = { ...structuredClone(task), pid: target.pid, tid: 'own', name: 'own', entry_id: target.entry }
        Object.assign(project, { tasks: [], archived_tasks: [], [list]: [own] })
      })
      const { stdout } = await command('--entry', target.entry, '--dry-run')
      expect(stdout).not.toContain('no task of project')
    }
    target.sandbox.faults.add({ kind: 'error', operation: 'tasks.archived.list', errorCode: 600027, times: 'always' })
    expect((await restore({ entry: 'other' })).created).toMatchObject({ page: 3, post: 2, task: 0 })
  })

  test('ends with its first refused task, which is listed once; other groups continue', async () => {
    const old = [...new Set(from.store.truth(from.pids[0] ?? '').tasks.map(({ entry_id }) => entry_id))]
    const [wrong = ''] = old
    const entries = old.map((id) => `${id}=${id === wrong ? 'nowhere' : target.entry}`)
    const tasks = from.store.truth(from.pids[0] ?? '').tasks.filter(({ entry_id }) => entry_id === wrong).length
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
    target.sandbox.faults.add({ kind: 'error', operation: 'tasks.create', errorCode: 600003, skip: 2, times: 1 })
    const { created, notRestored } = await restore()
    expect({ created, left: notRestored.length }).toMatchObject({ created: { task: 7 }, left: 1 })
    expect((await restore()).created).toMatchObject({ task: 1 })
  })
})
