import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, type Started } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { invite, twoAccounts, twoTeams } from './two-accounts.ts'
import { embedded } from './world.ts'

test('two accounts make one warehouse, which says who sees and who reads what', async () => {
  await using world = await twoAccounts({ extended: true })
  const { first, second, third, anna, ben } = world
  const { code, accounts, account, ...document } = await world.snapshot()
  expect([code, account, document.not_whole]).toEqual([0, null, []])
  expect(accounts).toMatchObject([
    { account: 'anna', uid: anna.uid, projects: 2, read: 1, alone: 1, error: null },
    { account: 'ben', uid: ben.uid, projects: 2, read: 2, alone: 1, error: null },
  ])
  expect(await world.live()).toEqual([first, second, third].sort())
  const readers = await world.rows('SELECT DISTINCT pid, account FROM collab.run_scopes WHERE account IS NOT NULL')
  expect(new Map(readers as [string, string][])).toEqual(
    new Map([
      [first, 'anna'],
      [second, 'ben'],
      [third, 'ben'],
    ]),
  )
  const permissions = await world.rows(
    'SELECT account, permission FROM collab.project_accounts WHERE pid = $1'.replace('$1', `'${third}'`),
  )
  expect(new Map(permissions as [string, number][])).toEqual(
    new Map([
      ['anna', 15],
      ['ben', 31],
    ]),
  )
  expect(await world.rows(`SELECT permission FROM collab.projects WHERE pid = '${third}'`)).toEqual([[31]])
  const { stdout } = await world.extract(['snapshot'], { env: world.env })
  expect(stdout).toMatch(/Read as:\n {2}anna = .*: 2 projects, 1 read\n {2}ben = .*: 2 projects, 2 read\n/)
  expect(stdout).toContain('\n  No account but anna lists 1 project\n')
  world.sandbox.faults.add({ kind: 'http', status: 404, operation: 'teams.list', uid: anna.uid })
  const { not_whole: lacking } = await world.snapshot()
  expect(lacking).toMatchObject([{ stream: 'teams', error: { code: 'ACCOUNT_FAILED' } }])
})

const REFUSED = [{ stream: 'teams', error: { code: 'ACCOUNT_FAILED' } }]

test('a team stays however often the account that showed it is refused the list of teams', async () => {
  await using world = await twoTeams()
  const { anna, refuse, teams, both, path } = world
  // as the account without a name, and then with one
  await writeFile(join(path, 'collab.yaml'), '')
  expect((await world.extract(['snapshot'], { env: { COLLAB_TOKEN: anna.token } })).code).toBe(0)
  await world.use('anna', 'ben')
  for (const status of [404, 403]) {
    refuse(status)
    expect((await world.snapshot()).not_whole).toMatchObject(REFUSED)
    expect(await teams()).toEqual(both)
  }
  expect((await world.snapshot()).code).toBe(0)
  await writeFile(join(path, 'anna'), 'expired')
  expect((await world.snapshot()).code).toBe(3)
  await writeFile(join(path, 'anna'), anna.token)
  refuse(404)
  expect((await world.snapshot()).not_whole).toMatchObject(REFUSED)
  expect(await teams()).toEqual(both)
  const acceptance = ['accept', '--scope', '/teams', '--until', '2999-01-01', '--reason', 'anna has left the team']
  expect((await world.extract(acceptance, { env: world.env })).stderr).toBe('')
  refuse(403)
  expect((await world.snapshot()).code).toBe(0)
  expect(await teams()).toEqual(both)
})

test('an account that never showed teams may be refused their list', async () => {
  await using world = await twoTeams()
  const { refuse, teams, both } = world
  for (const status of [403, 404, 403]) {
    refuse(status)
    expect((await world.snapshot()).code).toBe(0)
  }
  expect(await teams()).toEqual(both.filter(([team]) => team !== world.sandbox.store.teams[0]?.team_id))
})

testThoroughly('a team of a loaded backup stays while the account that showed it is refused the list', async () => {
  await using world = await twoTeams(embedded)
  const { extract, env, refuse, path, sandbox } = world
  expect((await world.snapshot()).code).toBe(0)
  const backup = ['backup', '--data-dir', 'data', '--out', 'out', '--format', 'jsonl']
  expect((await run('collab-export', backup, { cwd: path })).code).toBe(0)
  const elsewhere = { env: { ...env, COLLAB_DATA_DIR: join(path, 'loaded') } }
  expect((await extract(['load', 'out'], elsewhere)).code).toBe(0)
  for (const status of [403, 404]) {
    refuse(status)
    expect((await extract(['snapshot'], elsewhere)).code).toBe(3)
  }
  sandbox.faults.clear()
  const { stdout } = await extract(
    ['query', 'SELECT count(*) FROM collab.teams WHERE deleted_at IS NULL', '--json'],
    elsewhere,
  )
  expect(JSON.parse(stdout).rows).toEqual([[2]])
})

testThoroughly('a resumed run reads what its first part carried because an account failed', async () => {
  await using world = await twoAccounts()
  const { anna, first, sandbox, path, extract, env } = world
  expect((await world.snapshot()).code).toBe(0)
  await writeFile(join(path, 'anna'), 'expired')
  let started: Started | undefined
  const stop = sandbox.beforeRequest(({ operation }) => void (operation === 'tasks.list' && started?.kill('SIGINT')))
  const killed = await extract(['snapshot', '--concurrency', '1'], { env, onStart: (process) => (started = process) })
  stop()
  expect(killed.code).toBe(130)
  await writeFile(join(path, 'anna'), anna.token)
  const { code, scopes } = await world.snapshot('--resume')
  const statuses = scopes
    .filter(({ pid }: { pid: string }) => pid === first)
    .map(({ status }: { status: string }) => status)
  expect([code, new Set(statuses)]).toEqual([0, new Set(['complete'])])
})

test('what only a refused account saw is carried; if all are refused, the exit code is 4', async () => {
  await using world = await twoAccounts({ extended: true })
  const { first, second, third, sandbox, anna, ben } = world
  expect((await world.snapshot()).code).toBe(0)
  sandbox.accounts.revoke(anna.token)
  sandbox.store.change(third, (project) => project.pages.pop())
  const { code, scopes, not_whole: lacking, accounts } = await world.snapshot()
  expect(code).toBe(3)
  const ofFirst = scopes.filter(({ pid }: { pid: string }) => pid === first)
  expect(new Set(ofFirst.map(({ status }: { status: string }) => status))).toEqual(new Set(['carried']))
  const unowned = lacking.filter(({ pid }: { pid: string | null }) => pid === null)
  expect(unowned.map(({ stream, status }: { stream: string; status: string }) => `${stream} ${status}`)).toEqual([
    'projects partial',
    'webhooks partial',
    'teams partial',
  ])
  expect(lacking.length).toBe(ofFirst.length + unowned.length)
  for (const { error } of lacking) {
    expect(error).toMatchObject({ code: 'ACCOUNT_FAILED', message: expect.stringContaining('account anna: ') })
  }
  expect(accounts[0]).toMatchObject({ account: 'anna', read: 0, error: expect.stringContaining('100006') })
  expect(await world.live()).toEqual([first, second, third].sort())
  // the list of a team, which ben sees, shows that project too
  expect(await world.rows(`SELECT permission FROM collab.projects WHERE pid = '${first}'`)).toEqual([[15]])
  const pages = await world.rows(`SELECT count(*) FROM collab.live_pages WHERE pid = '${third}'`)
  expect(Number(pages[0]?.[0])).toBe(sandbox.store.as(ben.uid).truth(third).pages.length)
  sandbox.accounts.revoke(ben.token)
  const refused = await world.snapshot()
  expect([refused.code, refused.error.message]).toEqual([4, expect.stringMatching(/account anna: .*; account ben: /)])
  expect(await world.live()).toEqual([first, second, third].sort())
})

testThoroughly('what a removed account saw is carried until it is forgotten, then the others decide', async () => {
  await using world = await twoAccounts()
  const { first, second, third } = world
  expect((await world.snapshot()).code).toBe(0)
  await world.use('ben')
  for (let night = 0; night < 2; night++) {
    const { code, not_whole: lacking } = await world.snapshot()
    expect([code, lacking.at(-1)?.pid]).toEqual([3, first])
    expect(lacking.at(-1)?.error.message).toContain('snapshot --forget-account anna')
  }
  const used = await world.snapshot('--forget-account', 'ben')
  expect([used.code, used.stderr]).toEqual([2, expect.stringContaining('remove the account from the config file')])
  const unknown = await world.snapshot('--forget-account', 'carl')
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no account carl: use one of anna, ben')])
  const { code, deleted_projects: deleted } = await world.snapshot('--forget-account', 'anna')
  expect([code, deleted.map(({ pid }: { pid: string }) => pid)]).toEqual([0, [first]])
  expect(await world.live()).toEqual([second, third].sort())
  expect((await world.snapshot()).code).toBe(0)
})

test("an account with a token of a removed one's user takes its place", async () => {
  await using world = await twoAccounts({ extended: true })
  const { path, first, second, sandbox, anna } = world
  await writeFile(join(path, 'collab.yaml'), 'token_file: anna\n')
  expect((await world.snapshot()).code).toBe(0)
  await world.use('anna', 'ben')
  expect((await world.snapshot('--accept-account')).stderr).toContain(
    'account anna has a token of the user of account default, which is no longer used: it takes its place',
  )
  await writeFile(join(path, 'ann'), anna.token)
  await writeFile(join(path, 'benjamin'), world.ben.token)
  await world.use('ann', 'benjamin')
  // an account that is not used any more would have kept both
  sandbox.store.removeProject(first)
  const compared = await world.extract(['compare', '--json'], { env: world.env })
  expect(JSON.parse(compared.stdout).scopes).toContainEqual(
    expect.objectContaining({ pid: null, stream: 'projects', status: 'different' }),
  )
  const { code, not_whole: lacking, deleted_projects: deleted } = await world.snapshot()
  expect([code, lacking, deleted.map(({ pid }: { pid: string }) => pid)]).toEqual([0, [], [first]])
  expect(await world.rows('SELECT account FROM collab.accounts ORDER BY 1')).toEqual([['ann'], ['benjamin']])
  expect(await world.rows(`SELECT DISTINCT account FROM collab.project_accounts WHERE pid = '${second}'`)).toEqual([
    ['benjamin'],
  ])
})

test('a removed account keeps its place if no other is known to have its user', async () => {
  await using world = await twoAccounts({ extended: true })
  const { path, first, sandbox, anna } = world
  expect((await world.snapshot()).code).toBe(0)
  await writeFile(join(path, 'ann'), anna.token)
  await writeFile(join(path, 'anna'), world.ben.token)
  await world.use('ann', 'anna')
  const refused = await world.snapshot()
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('the token of account anna belongs to')])
  expect(await world.rows('SELECT account FROM collab.accounts ORDER BY 1')).toEqual([['anna'], ['ben']])
  await world.use('ann', 'ben')
  sandbox.faults.add({ kind: 'http', status: 500, operation: 'profile.get', times: 'always' })
  sandbox.store.removeProject(first)
  const { code, not_whole: lacking } = await world.snapshot('--retries', '0')
  expect([code, lacking.at(-1)?.error.message]).toEqual([3, expect.stringContaining('--forget-account anna')])
  expect(await world.live()).toContain(first)
})

test('webhooks stay of a project that their only reader left while reading it', async () => {
  await using world = await twoAccounts()
  const { third, sandbox, anna } = world
  const webhooks = async () => (await world.rows(`SELECT wid FROM collab.live_webhooks WHERE pid = '${third}'`)).length
  expect([(await world.snapshot()).code, await webhooks()]).toEqual([0, sandbox.store.project(third).webhooks.length])
  const before = await webhooks()
  expect(before).toBeGreaterThan(0)
  const stop = sandbox.beforeRequest(({ operation, params }) => {
    if (operation === 'webhooks.list' && params['pid'] === third) invite(world, third, { [anna.uid]: 15 })
  })
  const { code, not_whole: lacking } = await world.snapshot()
  stop()
  expect([code, lacking]).toMatchObject([3, [{ pid: third, stream: 'webhooks', error: { code: 'ACCOUNT_FAILED' } }]])
  expect(await webhooks()).toBe(before)
})

testThoroughly('another service is refused, also while a removed account is not forgotten', async () => {
  await using world = await twoAccounts()
  const { first, second, third, sandbox, ben } = world
  expect((await world.snapshot()).code).toBe(0)
  const before = await world.live()
  await world.use('ben')
  for (const pid of [first, second, third]) sandbox.store.removeProject(pid)
  sandbox.store.addProject(world.removed)
  invite(world, world.removed.reference.pid, { [ben.uid]: 31 })
  const { code, stderr } = await world.snapshot()
  expect([code, stderr]).toEqual([2, expect.stringContaining('--rebind-service')])
  expect(await world.live()).toEqual(before)
})

testThoroughly('a token of another user is refused with the name of its account', async () => {
  await using world = await twoAccounts({ extended: true })
  expect((await world.snapshot()).code).toBe(0)
  await writeFile(join(world.path, 'anna'), world.ben.token)
  await writeFile(join(world.path, 'ben'), world.anna.token)
  const { code, stderr } = await world.snapshot()
  expect([code, stderr]).toEqual([2, expect.stringMatching(/the token of account anna belongs to .*--accept-account/)])
  expect((await world.snapshot('--accept-account')).code).toBe(0)
  expect((await world.live()).length).toBe(3)
})
