import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EPOCH } from '@collab-etl/contract/timestamp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StateFileError, startSandbox } from '../src/index.ts'
import { operate, SMALL, sandboxForTest } from './support.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'collab-sandbox-'))
})
afterAll(() => rm(folder, { recursive: true }))

test('loads what was saved: seeded data, changes and the sequence of ids', async () => {
  const save = join(folder, 'state.json')
  const first = await startSandbox({ ...SMALL, save, seed: 9 })
  const [pid = ''] = first.pids
  const created = await operate(first, 'posts.create', { pid, name: 'Vor dem Speichern 💾' })
  const truth = first.pids.map((one) => first.store.truth(one))
  const personal = first.store.personalWebhooks
  await first.close()

  const second = await sandboxForTest({ load: save })
  expect(second.pids).toEqual(first.pids)
  expect(second.pids.map((one) => second.store.truth(one))).toEqual(truth)
  expect(second.store.personalWebhooks).toEqual(personal)
  const next = await operate(second, 'posts.create', { pid, name: 'Danach' })
  expect(Object(next.json).post_id).not.toBe(Object(created.json).post_id)
  expect(second.store.caller).toBe(second.store.users[0])
})

test('keeps what only observed operations show, and loads a file of before', async () => {
  const save = join(folder, 'observed.json')
  const first = await startSandbox({ ...SMALL, extended: true, save })
  const [pid = ''] = first.pids
  const { tid } = first.store.project(pid).tasks.find(({ badges }) => badges.comment_count > 0) ?? { tid: '' }
  const cid = first.store.truth(pid).task_comments[tid]?.[1]?.cid ?? ''
  for (const [id, params] of [
    ['tasks.comments.delete', { tid, cid }],
    ['tasks.comments.create', { tid, message: 'Danach' }],
    ['entries.create', { name: 'Neu' }],
    ['projects.members.add', { uid: 'stranger', role: 3 }],
  ] as const) {
    expect((await operate(first, id, { pid, ...params })).status).toBe(200)
  }
  const [truth, teams] = [first.store.truth(pid), structuredClone(first.store.teams)]
  expect(truth.task_comments[tid]?.map((comment) => comment.cid)).not.toContain(cid)
  await first.close()
  const second = await sandboxForTest({ load: save })
  expect(second.store.truth(pid)).toEqual(truth)
  expect(second.store.teams).toEqual(teams)

  const older = join(folder, 'older.json')
  const text = await readFile(save, 'utf8')
  const without = text
    .replace(/,\n"teams":.*?,"projects":/, ',"projects":')
    .replace(/"entries":\[[^\]]*\]/g, '"entries":[{"entry_id":"E","name":"Group"}]')
    .replace(/,"join_date":"[^"]*"/g, '')
  await writeFile(older, without)
  const third = await sandboxForTest({ load: older, extended: true })
  expect((await operate(third, 'teams.list')).json).toEqual([])
  const entry = { entry_id: 'E', pid, name: 'Group', created_at: EPOCH, updated_at: EPOCH, watched: false }
  expect((await operate(third, 'entries.list', { pid })).json).toEqual([entry])
  expect((await operate(third, 'projects.members.list', { pid })).status).toBe(200)
})

test('records share user objects, also after loading', async () => {
  const save = join(folder, 'users.json')
  await (await startSandbox({ ...SMALL, save })).close()
  const sandbox = await sandboxForTest({ load: save })
  const [pid = ''] = sandbox.pids
  sandbox.store.changeUser(sandbox.store.caller.uid, (user) => {
    user.online = 3
  })
  const people = sandbox.store.project(pid).tasks.flatMap(({ members }) => members)
  const caller = people.filter(({ uid }) => uid === sandbox.store.caller.uid)
  expect(caller.length).toBeGreaterThan(0)
  expect(new Set(caller.map(({ online }) => online))).toEqual(new Set([3]))
})

test('saving twice writes the same bytes, readable only by the owner', async () => {
  const own = await mkdtemp(join(folder, 'twice-'))
  const [one, two] = [join(own, 'one.json'), join(own, 'two.json')]
  await (await startSandbox({ ...SMALL, save: one })).close()
  await (await startSandbox({ load: one, save: two })).close()
  expect(await readFile(two, 'utf8')).toBe(await readFile(one, 'utf8'))
  expect((await stat(one)).mode & 0o777).toBe(0o600)
  expect((await readdir(own)).sort()).toEqual(['one.json', 'two.json'])
})

test('a failed save is reported and leaves no file', async () => {
  const save = join(folder, 'no such folder', 'state.json')
  const sandbox = await startSandbox({ ...SMALL, save })
  await expect(sandbox.close()).rejects.toThrow('ENOENT')
})

test('a missing or invalid file is rejected with the place', async () => {
  const save = join(folder, 'whole.json')
  await (await startSandbox({ ...SMALL, save })).close()
  const whole = await readFile(save, 'utf8')
  const broken: [string, string][] = [
    ['{', 'JSON'],
    ['[]', 'object'],
    ['{"format":"other"}', 'cannot load'],
    [whole.replace(/"caller":"[0-9a-f]+"/, '"caller":"stranger"'), 'no user stranger'],
    [whole.replace('"entries":[', '"entries":[7,'), 'projects/0/entries/0'],
    [whole.replace('"tasks":[', '"tasks":[null,'), 'cannot load'],
  ]
  for (const [index, [content, reason]] of broken.entries()) {
    const load = join(folder, `broken-${index}.json`)
    await writeFile(load, content)
    const refused = startSandbox({ load })
    await expect(refused).rejects.toThrow(StateFileError)
    await expect(refused).rejects.toThrow(reason)
    await expect(refused).rejects.toThrow(load)
  }
  await expect(startSandbox({ load: join(folder, 'missing.json') })).rejects.toThrow('ENOENT')
})
