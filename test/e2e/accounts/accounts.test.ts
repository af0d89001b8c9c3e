/** @module-tag thorough */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend } from '@collab-etl/harness/backends'
import { type Ran, type Started, scratchDirectory } from '@collab-etl/harness/commands'
import type { PlainTables } from '@collab-etl/harness/expected-rows'
import { expect, test } from 'vitest'
import { differences } from '../worlds/judge.ts'
import { Place } from '../worlds/place.ts'
import { plain } from '../worlds/rows.ts'
import { failuresOfWorlds, NIGHTS, type RanWorld } from '../worlds/run-worlds.ts'
import { type Night, nextNight } from './night.ts'
import { type SeenAccounts, stateOf, Truth } from './truth.ts'
import { makeWorld, type Person, type World } from './world.ts'

/*
 * Random services that three accounts read. Each night their rights change; then the warehouse has what the best account may see, and
 * nothing is deleted that one of them can still read. Worlds with an even seed are read by two workers; where four divides it, one of them
 * lacks an account. COLLAB_TEST_WORLD=SEED runs one world, COLLAB_TEST_ROUNDS=N so many.
 */

test('three accounts: rows, rights and exit codes are those of the best account', { timeout: 3_600_000 }, async () => {
  expect(await failuresOfWorlds(1, runWorld)).toBe('')
})

/** Runs a world until a night is wrong. */
async function runWorld(seed: number, backend: Backend): Promise<RanWorld> {
  const world = await makeWorld(seed)
  const truth = new Truth()
  const log: string[] = []
  const past: { time: Date; tables: PlainTables }[] = []
  try {
    await using scratch = await scratchDirectory()
    await using place = await Place.open(backend, { baseUrl: world.sandbox.baseUrl })
    const hasWorkers = seed % 2 === 0 && place.isOnServer
    const isOneLacking = hasWorkers && seed % 4 === 0
    for (let index = 0; index < NIGHTS; index++) {
      const night = nextNight(world, index === 0)
      const config = await writeConfig(world, scratch.path)
      const before = stateOf(world)
      log.push(`night ${index}: ${[describeWorld(world), ...night.log].join('; ')}`)
      const end = night.begin()
      const args = [
        'snapshot',
        '--allow-shrink',
        '--archived-page-size',
        '4',
        '--events-window',
        '6000d',
        ...night.args,
        ...(hasWorkers ? ['--workers', isOneLacking ? '1' : '2'] : []),
      ]
      const lacking = isOneLacking ? await startLacking(world, place, scratch.path) : null
      const ran = await extracted(world, place, { night, args: [...args, '--config', config] })
      await lacking?.stop()
      const after = stateOf(world)
      end()
      log[log.length - 1] += ` => exit code ${ran.code}`
      const [seen, accounts] = [await place.seen(), await accountsIn(place)]
      const problems = truth.night(world, { night, before, after, code: ran.code, seen, accounts })
      past.push({ time: new Date(), tables: seen.tables })
      await sleep(2) // the next run begins later
      const states = await place.asOf(past.map(({ time }) => time))
      for (const [at, state] of states.entries())
        for (const [table, rows] of Object.entries(state))
          problems.push(...differences(`as of night ${at}, ${table}`, past[at]?.tables[table] ?? [], rows))
      if (problems.length === 0) problems.push(...(await compared(world, { place, night, config, code: ran.code })))
      if (problems.length > 0) return { problems: [...problems, `${ran.stdout}\n${ran.stderr.slice(-1500)}`], log }
    }
  } catch (error) {
    return { problems: [String(error instanceof Error ? error.stack : error)], log }
  } finally {
    await world.sandbox.close()
  }
  return { problems: [], log }
}

const describeWorld = ({ people, isExtended, hasProfile }: World) =>
  `${people.map(({ name, isUsed, isValid }) => `${name}${isUsed ? '' : ' (not in the file)'}${isValid ? '' : ' (refused)'}`).join(', ')}${isExtended ? ', extended' : ''}${hasProfile ? ', profile' : ''}`

/** Kills the run if the night says so, and resumes it. */
async function extracted(
  { sandbox }: World,
  place: Place,
  { night: { killsAt }, args }: { night: Night; args: readonly string[] },
): Promise<Ran> {
  if (killsAt === null) return await place.extract(args)
  let requests = 0
  let remove = () => {}
  const killed = await place.extract(args, {
    onStart: (started) => {
      remove = sandbox.beforeRequest(() => {
        if (++requests === killsAt) started.kill('SIGKILL')
      })
    },
  })
  remove()
  return killed.signal === null ? killed : await place.extract([...args, '--resume'])
}

/** Starts a worker without one of the accounts. */
async function startLacking({ people, unnamed }: World, place: Place, directory: string) {
  const config = join(directory, 'lacking.yaml')
  const used = people.filter(({ isUsed }) => isUsed && !unnamed.isUsed)
  await writeFile(config, configOf(used.slice(used.length > 1 ? 1 : 0)))
  let started: Started | undefined
  const ended = place.extract(['worker', '--config', config], { onStart: (process) => (started = process) })
  return {
    async stop() {
      started?.kill('SIGTERM')
      await ended
    },
  }
}

const configOf = (used: readonly Person[]) =>
  used.length === 0
    ? 'token_file: token\n'
    : ['accounts:', ...used.map(({ name }) => `  - { name: ${name}, token_file: ${name}.token }`), ''].join('\n')

async function writeConfig({ people, unnamed }: World, directory: string): Promise<string> {
  const path = join(directory, 'collab.yaml')
  if (unnamed.isUsed) {
    await writeFile(join(directory, 'token'), unnamed.token, { mode: 0o600 })
    await writeFile(path, configOf([]))
    return path
  }
  const used = people.filter(({ isUsed }) => isUsed)
  for (const { name, token } of used) await writeFile(join(directory, `${name}.token`), token, { mode: 0o600 })
  await writeFile(path, configOf(used))
  return path
}

async function accountsIn(place: Place): Promise<SeenAccounts> {
  const json = async (from: string) =>
    (await place.query(`SELECT to_jsonb(t)::text FROM ${from} t`)).map(([row]) => plain(JSON.parse(String(row))))
  const [run] = await place.query(
    'SELECT started_at, accounts FROM collab.runs ORDER BY started_at DESC, run_id DESC LIMIT 1',
  )
  const [started] = await place.query(
    'SELECT to_jsonb(started_at)::text FROM collab.runs ORDER BY started_at DESC, run_id DESC LIMIT 1',
  )
  return {
    accounts: await json('collab.accounts'),
    projectAccounts: await json('collab.project_accounts'),
    startedAt: plain({ last_seen_at: started === undefined ? null : JSON.parse(String(started[0])) })['last_seen_at'],
    ofRun: (run?.[1] ?? []) as SeenAccounts['ofRun'], // `noteAccounts` writes a list
  }
}

/** `compare` finds no difference after a whole run. */
async function compared(
  { dice }: World,
  { place, night, config, code }: { place: Place; night: Night; config: string; code: number | null },
): Promise<string[]> {
  if (code !== 0 || night.unsure.size > 0 || dice.chance(0.6)) return []
  const { code: result, stdout, stderr } = await place.extract(['compare', '--config', config])
  return result === 0 ? [] : [`compare ended with ${result}: ${stdout}${stderr}`]
}
