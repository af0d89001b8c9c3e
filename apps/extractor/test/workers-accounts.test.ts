import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { OFFERS } from '@collab-etl/contract'
import type { Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { rowsOfRun } from '@collab-etl/harness/rows-of-run'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { TABLES } from '@collab-etl/warehouse'
import { describe, expect, test } from 'vitest'
import { twoAccounts, twoTeams } from './two-accounts.ts'
import { onPostgres, type WorldOptions } from './world.ts'

type Two = Awaited<ReturnType<typeof twoAccounts>>

const openTwo = (options: WorldOptions = {}) => twoAccounts(options, onPostgres)

const COMMANDS = ['anna', 'ben'].map((name) => `  - { name: ${name}, token_command: [cat, ${name}] }\n`)

/** A directory with a config file, and the tokens of these accounts in files that its commands or paths name. */
async function elsewhere({ path }: Two, name: string, accounts: Readonly<Record<string, string>>, how = 'command') {
  const directory = join(path, name)
  await mkdir(directory)
  const place = (account: string) => (how === 'command' ? `token_command: [cat, ${account}]` : `token_file: ${account}`)
  const lines = Object.keys(accounts).map((account) => `  - { name: ${account}, ${place(account)} }\n`)
  await writeFile(join(directory, 'collab.yaml'), `accounts:\n${lines.join('')}`)
  for (const [account, token] of Object.entries(accounts)) await writeFile(join(directory, account), token)
  return directory
}

const useCommands = ({ path }: Two) => writeFile(join(path, 'collab.yaml'), `accounts:\n${COMMANDS.join('')}`)

/** Starts a worker for one run with the config file of a directory. */
function startWorker({ extract, env }: Two, cwd: string) {
  let started: Started | undefined
  const ended = extract(['worker', '--once', '--json'], { cwd, env, onStart: (process) => (started = process) })
  return { ended, kill: (signal: NodeJS.Signals) => started?.kill(signal) }
}

const workerRows = ({ query }: Two) => query('SELECT * FROM collab_stage.workers').catch(() => [])

const readersOf = async ({ rows }: Two) =>
  new Map(
    (await rows("SELECT DISTINCT pid, account FROM collab.run_scopes WHERE pid <> ''")) as [string, string | null][],
  )

const statusesOf = (scopes: { pid: string; status: string }[], of: string) => [
  ...new Set(scopes.filter(({ pid }) => pid === of).map(({ status }) => status)),
]

describe.runIf(postgresServer() !== null)('workers with several accounts', () => {
  test('they leave the same rows, readers and accounts as one process', async () => {
    // without comments of tasks: whether a project without tasks has that scope depends on which project is read first
    const options = { extended: OFFERS.filter((name) => name !== 'task-comments') }
    await using one = await openTwo(options)
    await using many = await openTwo(options)
    const [alone, shared] = [await one.snapshot(), await many.snapshot('--workers', '2')]
    expect([alone.code, shared.code, shared.not_whole]).toEqual([0, 0, []])
    const rowsOf = ({ query }: Two) => rowsOfRun(query, TABLES)
    expect(await rowsOf(many)).toEqual(await rowsOf(one))
    const known = ({ accounts }: typeof alone) => accounts.map(({ offered, ...of }: { offered: object }) => of)
    expect(known(shared)).toEqual(known(alone))
    const { first, second, third } = many
    expect(await readersOf(many)).toEqual(
      new Map([
        [first, 'anna'],
        [second, 'ben'],
        [third, 'ben'],
      ]),
    )
  })

  testThoroughly('a worker without an account leaves its projects to others; no token is in the database', async () => {
    await using world = await openTwo({ extended: ['profile'] })
    await useCommands(world)
    const { anna, ben, first, path, sandbox } = world
    const running = world.snapshot('--workers', '0')
    const swapped = await elsewhere(world, 'swapped', { anna: ben.token, ben: ben.token })
    const refused = await startWorker(world, swapped).ended
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining(`the token of account anna belongs to user ${ben.uid}, that of the run to ${anna.uid}`),
    ])
    const files = await elsewhere(world, 'files', { anna: sandbox.accounts.add(anna.uid).token }, 'file')
    const other = startWorker(world, files)
    while (!(await workerRows(world)).some(({ refusal }) => refusal !== null)) await sleep(50)
    other.kill('SIGTERM')
    expect((await other.ended).stderr).toContain('the run has another token of account anna; give this worker')
    const lacking = startWorker(world, await elsewhere(world, 'lacking', { ben: ben.token }))
    const isReading = async () =>
      (await world.query('SELECT FROM collab.run_scopes WHERE worker IS NOT NULL')).length > 0
    while (!(await isReading())) await sleep(50)
    const left = JSON.stringify([
      await world.query('SELECT data, output, group_id FROM collab_queue.job'),
      await world.query('SELECT * FROM collab_stage.plan'),
      await workerRows(world),
    ])
    for (const { token } of [anna, ben]) expect(left).not.toContain(token)
    const whole = startWorker(world, path)
    const { code, not_whole: incomplete } = await running
    expect([code, incomplete]).toEqual([0, []])
    const [{ runs }] = [JSON.parse((await lacking.ended).stdout)]
    await whole.ended
    const readBy = await world.rows(`SELECT DISTINCT worker FROM collab.run_scopes WHERE pid = '${first}'`)
    expect(readBy).not.toContainEqual([runs[0].worker])
    expect((await readersOf(world)).get(first)).toBe('anna')
  })

  testThoroughly('what no worker can read is carried, and the others read what they can instead', async () => {
    await using world = await openTwo()
    await useCommands(world)
    const { anna, first, second, third } = world
    expect((await world.snapshot()).code).toBe(0)
    const before = await world.live()
    const lacking = startWorker(world, await elsewhere(world, 'lacking', { anna: anna.token }))
    const { code, scopes, not_whole: incomplete } = await world.snapshot('--workers', '0')
    await lacking.ended
    expect([code, statusesOf(scopes, first), statusesOf(scopes, second)]).toEqual([3, ['complete'], ['carried']])
    expect(statusesOf(scopes, third)).toContain('complete')
    for (const { error } of incomplete) {
      expect(error).toMatchObject({
        code: 'ACCOUNT_FAILED',
        message: expect.stringContaining('account ben: no worker'),
      })
    }
    expect(await world.live()).toEqual(before)
  })

  testThoroughly('an account that fails on one worker alone costs nothing: others read its projects', async () => {
    await using world = await openTwo()
    await useCommands(world)
    const { anna, ben, first, path, sandbox } = world
    const expiring = sandbox.accounts.add(anna.uid)
    sandbox.beforeRequest(({ operation, params }) => {
      if (operation === 'tasks.list' && params['pid'] === first) sandbox.accounts.revoke(expiring.token)
    })
    const running = world.snapshot('--workers', '0')
    const failing = startWorker(world, await elsewhere(world, 'failing', { anna: expiring.token, ben: ben.token }))
    while (!(await workerRows(world)).some(({ lacks }) => String(lacks).includes('anna'))) await sleep(50)
    const whole = startWorker(world, path)
    const { code, not_whole: incomplete, accounts } = await running
    await Promise.all([failing.ended, whole.ended])
    expect([code, incomplete]).toEqual([0, []])
    expect((await readersOf(world)).get(first)).toBe('anna')
    expect(accounts[0]).toMatchObject({ account: 'anna', read: 1 })
  })

  testThoroughly('the projects of a worker that is killed are read by others, with the same accounts', async () => {
    await using world = await openTwo({ tasks: 40, archived: 40 })
    await useCommands(world)
    const { first, second, third, path, sandbox } = world
    const running = world.snapshot('--workers', '0')
    const dying = startWorker(world, path)
    sandbox.beforeRequest(({ operation, params }) => {
      if (operation === 'tasks.list' && params['pid'] === first) dying.kill('SIGKILL')
    })
    await dying.ended
    const whole = startWorker(world, path)
    const { code, not_whole: incomplete } = await running
    await whole.ended
    expect([code, incomplete]).toEqual([0, []])
    expect([...(await readersOf(world))].sort()).toEqual(
      [
        [first, 'anna'],
        [second, 'ben'],
        [third, 'ben'],
      ].sort(),
    )
  })

  testThoroughly('a team stays that an account showed to a coordinator whose run was taken over', async () => {
    await using world = await twoTeams(onPostgres)
    let coordinator: Started | undefined
    const args = ['snapshot', '--workers', '0']
    const killed = world.extract(args, { env: world.env, onStart: (process) => (coordinator = process) })
    while ((await world.query('SELECT FROM collab_stage.plan').catch(() => [])).length === 0) await sleep(50)
    coordinator?.kill('SIGKILL')
    await killed
    const { code, accounts } = await world.snapshot('--workers', '1', '--resume')
    expect([code, accounts]).toMatchObject([0, Array(2).fill({ offered: { 'teams.list': true } })])
    world.refuse(403)
    expect((await world.snapshot()).code).toBe(3)
    expect(await world.teams()).toEqual(world.both)
  })

  testThoroughly('if all accounts are refused meanwhile, the exit code is 4', async () => {
    await using world = await openTwo()
    const { anna, ben, first, sandbox } = world
    expect((await world.snapshot()).code).toBe(0)
    const before = await world.live()
    sandbox.beforeRequest(({ operation, params }) => {
      if (operation !== 'tasks.list' || params['pid'] !== first) return
      for (const { token } of [anna, ben]) sandbox.accounts.revoke(token)
    })
    const { code, error } = await world.snapshot('--workers', '1')
    expect([code, error.message]).toEqual([4, expect.stringMatching(/account anna: .*; account ben: /)])
    expect(await world.live()).toEqual(before)
  })
})
