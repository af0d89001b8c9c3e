import { expect, test } from 'vitest'
import { namedAccounts, ownerOf, type ProjectAccount, type RunAccount } from '../src/runs/accounts.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { project } from './support/records.ts'
import { batch, inRun, NO_LIMITS, publishIn } from './support/snapshot.ts'

const URL = 'http://127.0.0.1'

const took = (account: string, of: Partial<RunAccount> = {}): RunAccount => ({
  account,
  uid: null,
  name: null,
  projects: 1,
  read: null,
  error: null,
  offered: null,
  ...of,
})

const saw = (account: string, pid: string, of: Partial<ProjectAccount> = {}): ProjectAccount => ({
  pid,
  account,
  curr_role: null,
  permission: 31,
  is_starred: null,
  position: null,
  ...of,
})

onBackendsInTurn('accounts', (backend) => {
  test('a run notes who took part; what an account is keeps its last known user', async () => {
    const warehouse = await backend.warehouse()
    expect(await warehouse.log.lastAccounts(URL)).toEqual(new Map())
    const anna = took('anna', { uid: 'u1', name: 'An\0na' })
    const first = await inRun(warehouse, async (run) => {
      await run.noteAccounts([anna, took('ben', { projects: 0, error: 'HTTP \ud800 401' })])
      return run
    })
    const done = took('anna', { read: 1, offered: { 'posts.list': true } })
    const second = await inRun(warehouse, async (run) => {
      await run.noteAccounts([took('anna'), took('ben')])
      await run.noteAccounts([done, took('ben')])
      return run
    })
    expect((await warehouse.log.run(first.id))?.run.accounts).toEqual([
      { ...anna, name: 'An\uFFFDna' },
      took('ben', { projects: 0, error: 'HTTP \uFFFD 401' }),
    ])
    expect(await warehouse.log.accountsOf(second.id)).toEqual([done, took('ben')])
    const [began, again] = [first, second].map(({ startedAt }) => startedAt.toISOString())
    expect(await warehouse.log.accounts()).toEqual([
      { account: 'anna', uid: 'u1', name: 'An\uFFFDna', first_seen_at: began, last_seen_at: again },
      { account: 'ben', uid: null, name: null, first_seen_at: again, last_seen_at: again },
    ])
    expect(await warehouse.log.lastAccounts(`${URL}/`)).toEqual(new Map([['anna', { uid: 'u1', name: 'An\uFFFDna' }]]))
    expect(await warehouse.log.lastAccounts('http://elsewhere')).toEqual(new Map())
  })

  test('a project that an account no longer lists stays one that it saw', async () => {
    const warehouse = await backend.warehouse()
    const odd = saw('ben', 'p1', { permission: 70_000, curr_role: 0.5, is_starred: true, position: 0.1 })
    await inRun(warehouse, (run) => run.noteProjectAccounts([saw('anna', 'p1'), odd, odd, saw('anna', 'p2')]))
    const last = await inRun(warehouse, async (run) => {
      await run.noteProjectAccounts([saw('anna', 'p2', { permission: 7 })])
      return run
    })
    expect(await warehouse.log.projectAccounts()).toEqual([
      { pid: 'p1', account: 'anna', permission: 31 },
      { pid: 'p1', account: 'ben', permission: null },
      { pid: 'p2', account: 'anna', permission: 7 },
    ])
    const { rows } = await warehouse.rows.query(
      'SELECT pid, account, curr_role, is_starred, position, last_seen_at FROM project_accounts ORDER BY 1, 2',
    )
    expect(rows[1]).toMatchObject(['p1', 'ben', null, true, 0.1, expect.anything()])
    expect(String(rows[2]?.at(-1))).toContain(last.startedAt.toISOString().slice(0, 19))
  })

  test('a project that is marked deleted stays one that accounts saw', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, async (run) => {
      for (const pid of ['p1', 'p2'])
        await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } })
      await run.noteProjectAccounts([saw('anna', 'p1'), saw('ben', 'p1'), saw('ben', 'p2')])
    })
    const none = new Set<string>()
    await inRun(warehouse, (run) =>
      run.markAbsentProjects({ listed: none, gone: new Set(['p1']), readable: none }, NO_LIMITS),
    )
    expect((await warehouse.log.projectAccounts()).map(({ pid, account }) => [pid, account])).toEqual([
      ['p1', 'anna'],
      ['p1', 'ben'],
      ['p2', 'ben'],
    ])
  })

  test('the scopes of a run say which account read their project', async () => {
    const warehouse = await backend.warehouse()
    const run = await inRun(warehouse, async (begun) => {
      for (const pid of ['p1', 'p2'])
        await publishIn(begun, pid, { projects: { batches: [batch('project', [project(pid)])] } })
      await begun.noteReaders(new Map([['p1', 'anna']]))
      return begun
    })
    const scopes = (await warehouse.log.run(run.id))?.scopes
    expect(scopes?.map(({ pid, account }) => [pid, account])).toEqual([
      ['p1', 'anna'],
      ['p2', null],
    ])
    // who read it has seen it, though no list showed it
    expect(await warehouse.log.projectAccounts()).toEqual([{ pid: 'p1', account: 'anna', permission: null }])
  })

  test('a forgotten account is gone, and its name is free for another user', async () => {
    const warehouse = await backend.warehouse()
    await expect(warehouse.log.requireAccounts(['anna'])).rejects.toThrow('has no account anna: it has none')
    await inRun(warehouse, async (run) => {
      await run.noteAccounts([took('anna', { uid: 'u1' }), took('ben', { uid: 'u2' })])
      await run.noteProjectAccounts([saw('anna', 'p1'), saw('ben', 'p1')])
    })
    await expect(warehouse.log.requireAccounts(['anna', 'an'])).rejects.toMatchObject({
      code: 'NO_ACCOUNT',
      message: expect.stringContaining('has no account an: use one of anna, ben'),
    })
    await warehouse.runs.forgetAccount('anna')
    expect((await warehouse.log.accounts()).map(({ account }) => account)).toEqual(['ben'])
    expect((await warehouse.log.projectAccounts()).map(({ account }) => account)).toEqual(['ben'])
    expect([...(await warehouse.log.lastAccounts(URL)).keys()]).toEqual(['ben'])
  })

  test('a renamed account has the rows of both names, and is known since the first', async () => {
    const warehouse = await backend.warehouse()
    const [first] = [
      await inRun(warehouse, async (run) => {
        await run.noteAccounts([took('default', { uid: 'u1' })])
        await run.noteProjectAccounts([saw('default', 'p1'), saw('default', 'p2')])
        return run
      }),
      await inRun(warehouse, async (run) => {
        await run.noteAccounts([took('anna', { uid: 'u1' }), took('ben', { uid: 'u2' })])
        await run.noteProjectAccounts([saw('anna', 'p1', { permission: 7 }), saw('ben', 'p2')])
        return run
      }),
    ]
    await warehouse.runs.renameAccount('default', 'anna')
    const seen = await warehouse.log.projectAccounts()
    expect(seen.map(({ pid, account, permission }) => [pid, account, permission])).toEqual([
      ['p1', 'anna', 7],
      ['p2', 'anna', 31],
      ['p2', 'ben', 31],
    ])
    const known = (await warehouse.log.accounts()).map(({ account, first_seen_at: since }) => [account, since])
    expect(known[0]).toEqual(['anna', first.startedAt.toISOString()])
    expect(known.map(([account]) => account)).toEqual(['anna', 'ben'])
    await warehouse.runs.renameAccount('ben', 'benjamin')
    expect((await warehouse.log.accounts()).map(({ account, uid }) => [account, uid])).toEqual([
      ['anna', 'u1'],
      ['benjamin', 'u2'],
    ])
  })

  test('one account without a name is an owner, others are accounts', () => {
    const only = took('default', { uid: 'u1', name: 'User' })
    expect([ownerOf([only]), namedAccounts([only])]).toEqual([{ uid: 'u1', name: 'User' }, []])
    const anna = took('anna', { uid: 'u1' })
    expect([ownerOf([anna]), namedAccounts([anna])]).toEqual([null, [anna]])
    expect([ownerOf(null), namedAccounts(null)]).toEqual([null, []])
    expect(ownerOf([took('default')])).toBeNull()
  })
})
