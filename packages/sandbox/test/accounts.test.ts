import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { ServedId } from '../src/operations/served.ts'
import { call, operate, sandboxForTest } from './support.ts'

/** A sandbox with a second user, and its operations as that user. */
async function withSecondUser(options: Parameters<typeof sandboxForTest>[0] = {}) {
  const sandbox = await sandboxForTest(options)
  const { uid, token } = sandbox.accounts.add()
  const ask = async (id: ServedId, params: Parameters<typeof operate>[2] = {}) =>
    await operate(sandbox, id, params, { token: { header: token } })
  return { sandbox, uid, token, ask, seen: sandbox.store.as(uid) }
}

test('each user is shown the projects, rights and profile of their own', async () => {
  const { sandbox, uid, ask, seen } = await withSecondUser({ extended: true })
  expect(seen.readablePids()).not.toEqual(sandbox.pids)
  const listed = (await ask('projects.list')).json
  expect(listed).toEqual(sandbox.store.projects.flatMap(({ reference: { pid } }) => seen.truth(pid).listed ?? []))
  for (const { reference } of sandbox.store.projects) {
    const { pid } = reference
    const isReadable = seen.readablePids().includes(pid)
    expect((await ask('tasks.list', { pid })).json).toEqual(
      isReadable ? seen.truth(pid).tasks : expect.objectContaining({ error_code: 600001 }),
    )
    const detail = (await ask('projects.get', { pid })).json
    expect(detail).toEqual(isReadable ? seen.truth(pid).detail : expect.objectContaining({ error_code: 400004 }))
  }
  expect((await ask('profile.get')).json).toMatchObject({ uid })
  expect((await operate(sandbox, 'profile.get')).json).toMatchObject({ uid: sandbox.store.caller.uid })
})

test('rights, stars and places of a project change for one member alone', async () => {
  const { sandbox, uid, ask, seen } = await withSecondUser()
  const [pid = ''] = seen.readablePids()
  const before = sandbox.store.truth(pid).listed
  sandbox.store.change(pid, (project) => {
    project.members = project.members.map((member) =>
      member.user.uid === uid ? { ...member, permission: 0, is_star: 1, pos: 7.5 } : member,
    )
  })
  expect(seen.truth(pid).listed).toMatchObject({ permission: 0, is_star: 1, pos: 7.5 })
  expect((await ask('projects.get', { pid })).status).toBe(500)
  expect(sandbox.store.truth(pid).listed).toEqual(before)
})

test('a user is shown the teams of the projects whose member they are', async () => {
  const { sandbox, uid, ask } = await withSecondUser({ extended: ['teams'] })
  for (const pid of sandbox.store.projects.map(({ reference }) => reference.pid))
    sandbox.store.change(pid, (project) => {
      project.members = project.members.filter(({ user }) => user.uid !== uid)
    })
  expect((await ask('teams.list')).json).toEqual([])
  expect((await operate(sandbox, 'teams.list')).json).toHaveLength(2)
})

test('personal webhooks belong to one user, and a saved state keeps them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'collab-sandbox-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const save = join(folder, 'state.json')
  const { sandbox, uid, ask, seen } = await withSecondUser({ save })
  expect((await ask('webhooks.list')).json).toEqual([])
  const [first, second] = sandbox.store.personalWebhooks.map((webhook) => ({
    ...webhook,
    actions: [...webhook.actions],
    wid: `own ${webhook.wid}`,
    uid,
  }))
  if (!first || !second) throw new Error('no webhooks')
  seen.changePersonalWebhooks((webhooks) => webhooks.push(first, second))
  expect((await ask('webhooks.list')).json).toEqual([first, second])
  await ask('webhooks.delete', { wid: first.wid })
  expect((await operate(sandbox, 'webhooks.list')).json).toHaveLength(2)
  await sandbox.close()
  const again = await sandboxForTest({ load: save })
  expect(again.store.as(uid).personalWebhooks).toEqual([second])
  expect(again.store.personalWebhooks).toEqual(sandbox.store.personalWebhooks)
})

test('what a user creates is theirs', async () => {
  const { sandbox, uid, ask, seen } = await withSecondUser()
  const pid = seen.readablePids().find((each) => (seen.truth(each).listed?.permission ?? 0) >= 15) ?? ''
  const { post_id } = Object((await ask('posts.create', { pid, name: 'n' })).json)
  expect(sandbox.store.truth(pid).posts.find(({ post }) => post.post_id === post_id)?.post.owner.uid).toBe(uid)
})

test('a revoked token is incorrect; the other tokens of the user stay valid', async () => {
  const { sandbox, uid, token, ask } = await withSecondUser()
  const next = sandbox.accounts.add(uid)
  sandbox.accounts.revoke(token)
  expect((await ask('projects.list')).json).toMatchObject({ error_code: 100006 })
  expect((await operate(sandbox, 'projects.list', {}, { token: { header: next.token } })).status).toBe(200)
  sandbox.accounts.revoke(sandbox.token)
  expect((await operate(sandbox, 'projects.list')).json).toMatchObject({ error_code: 100006 })
  expect(() => sandbox.accounts.add('stranger')).toThrow(RangeError)
})

test('a token of signing in is that of the user who agreed, also after it was refreshed', async () => {
  const { sandbox, uid } = await withSecondUser({ extended: true })
  sandbox.grants.user = uid
  const code = sandbox.grants.newCode('app', 'http://localhost')
  const issued = sandbox.grants.exchange(code, 'app', 'http://localhost')
  sandbox.grants.user = null
  const refreshed = sandbox.grants.refresh(issued?.refresh_token ?? '', 'app')
  for (const pair of [issued, refreshed]) {
    const token = { header: pair?.access_token ?? '' }
    expect((await operate(sandbox, 'profile.get', {}, { token })).json).toMatchObject({ uid })
  }
})

test('faults and rules of a user spare the others; requests are logged with their user', async () => {
  const { sandbox, uid, ask } = await withSecondUser()
  sandbox.faults.add({ kind: 'http', status: 503, uid })
  sandbox.follow([{ on: 'webhooks.list', uid, does: { kind: 'http', status: 429 } }])
  expect((await operate(sandbox, 'projects.list')).status).toBe(200)
  expect([(await ask('projects.list')).status, (await ask('projects.list')).status]).toEqual([503, 200])
  expect((await operate(sandbox, 'webhooks.list')).status).toBe(200)
  expect((await ask('webhooks.list')).status).toBe(429)
  const own = sandbox.store.caller.uid
  expect(sandbox.requests.map((request) => request.uid)).toEqual([own, uid, uid, own, uid])
})

test('over HTTP, users get tokens and lose them, and the truth is that of a user', async () => {
  const sandbox = await sandboxForTest()
  const added = await call(sandbox, 'POST', '/_sandbox/accounts', { token: null, json: {} })
  expect(added.status).toBe(201)
  const { uid, token } = Object(added.json)
  const truth = await call(sandbox, 'GET', '/_sandbox/truth', { token: null, query: { uid } })
  expect(truth.json).toMatchObject({ pids: sandbox.store.as(uid).readablePids() })
  await call(sandbox, 'DELETE', '/_sandbox/accounts', { token: null, json: { token } })
  expect((await operate(sandbox, 'projects.list', {}, { token: { header: token } })).status).toBe(400)
  const unknown = await call(sandbox, 'POST', '/_sandbox/accounts', { token: null, json: { uid: 'stranger' } })
  expect([unknown.status, unknown.json]).toEqual([400, { error: 'The sandbox holds no user stranger' }])
  expect((await call(sandbox, 'GET', '/_sandbox/truth', { query: { uid: 'stranger' } })).status).toBe(404)
})
