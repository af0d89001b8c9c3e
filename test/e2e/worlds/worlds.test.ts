/** @module-tag thorough */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Backend } from '@collab-etl/harness/backends'
import type { Ran } from '@collab-etl/harness/commands'
import type { PlainTables } from '@collab-etl/harness/expected-rows'
import { expect, test } from 'vitest'
import { changeWorld } from './changes.ts'
import { differences } from './judge.ts'
import { Place } from './place.ts'
import { type Plan, planNight } from './plan.ts'
import { failuresOfWorlds, NIGHTS, type RanWorld } from './run-worlds.ts'
import { type Seen, Truth } from './truth.ts'
import { makeWorld, readable, type World } from './world.ts'

/*
 * Random services. Each night the service changes and something may go wrong; then the warehouse, its history and
 * its backups must be what a model that is kept apart says. COLLAB_TEST_WORLD=SEED runs one world, COLLAB_TEST_ROUNDS=N so many.
 * A seed decides the world and its faults, but not the order of requests: a failure may come back only after several runs.
 */

test('random worlds: rows, history, status and backups match the model', {
  timeout: 3_600_000,
}, async () => {
  expect(await failuresOfWorlds(1, runWorld)).toBe('')
})

/** Runs a world until a night is wrong. */
async function runWorld(seed: number, backend: Backend): Promise<RanWorld> {
  const world = await makeWorld(seed)
  const truth = new Truth()
  const log: string[] = []
  /** What every later night must give for this time. */
  let past: { time: Date; tables: PlainTables }[] = []
  try {
    await using place = await Place.open(backend, world.sandbox)
    for (let night = 0; night < NIGHTS; night++) {
      if (night > 0) changeWorld(world)
      const plan = planNight(world, night)
      const flags = plan.args.filter((word) => !plan.name.includes(word))
      log.push(
        `night ${night}: ${[plan.name, ...flags].join(' ')}; offered: ${[...world.offers, ...plan.quirks].join(' ')}${plan.showsTeamProjects ? '' : ', no projects of teams'}`,
      )
      if (plan.damage !== undefined) past = []
      const ran = await snapshot(world, place, plan)
      const seen = await place.seen()
      log.push(...notComplete(seen))
      const { problems, lost, tables } = truth.night(world.sandbox, seen, plan)
      const bad = [...seen.scopes].filter(([, { status }]) => !WHOLE.includes(status))
      const isPartial = bad.length > 0 || lost.length > 0 || readable(world).length === 0
      if (ran.code !== (isPartial ? 3 : 0))
        problems.push(
          `exit code ${ran.code} with ${JSON.stringify({ bad, lost })}: ${ran.stdout}${ran.stderr.slice(-600)}`,
        )
      past.push({ time: new Date(), tables })
      await sleep(2) // the next run begins later
      const checked = night === NIGHTS - 1 ? past : past.slice(-2)
      const states = await place.asOf(checked.map(({ time }) => time))
      for (const [index, state] of states.entries())
        for (const [table, rows] of Object.entries(state))
          problems.push(
            ...differences(`as of ${checked.length - index} ago, ${table}`, checked[index]?.tables[table] ?? [], rows),
          )
      const shown = night === NIGHTS - 1 ? await place.projectsOnDashboard() : null
      const existing = seen.tables['projects']?.filter(({ archived }) => archived !== true).length
      if (shown !== null && shown !== existing) problems.push(`the dashboard shows ${shown} projects of ${existing}`)
      if (problems.length === 0)
        problems.push(
          ...(await checkAround(world, place, plan, { isWhole: ran.code === 0, isLast: night === NIGHTS - 1 })),
        )
      if (problems.length > 0) return { problems, log }
    }
  } catch (error) {
    return { problems: [String(error instanceof Error ? error.stack : error)], log }
  } finally {
    await world.sandbox.close()
  }
  return { problems: [], log }
}

/** For whoever reads a failure. */
function notComplete({ scopes, unread }: Seen): string[] {
  const named = [...scopes].filter(([, { status }]) => status !== 'complete')
  return [
    ...named.map(([scope, { status, code }]) => `  ${scope}: ${status}${code === null ? '' : `, ${code}`}`),
    ...[...unread].map((item) => `  ${item}: unread`),
  ]
}

const WHOLE = ['complete', 'carried', 'skipped']

/** `compare` finds no difference after a whole run; a backup on top of others has the bytes of one in a new directory. */
async function checkAround(
  { dice }: World,
  place: Place,
  plan: Plan,
  { isWhole, isLast }: { readonly isWhole: boolean; readonly isLast: boolean },
): Promise<string[]> {
  const problems: string[] = []
  // the comparison meets no faults: it would read projects of teams that this night did not
  const readsTheSame = plan.only === undefined && plan.showsTeamProjects
  if (isWhole && readsTheSame && dice.chance(0.5)) {
    const compared = await place.extract(['compare', ...(plan.isOff ? ['--extended', 'off'] : [])])
    if (compared.code !== 0) problems.push(`compare ended with ${compared.code}: ${compared.stdout}${compared.stderr}`)
  }
  if (!isLast && dice.chance(0.7)) return problems
  const formats = dice.one(['markdown,csv', 'markdown,csv,jsonl', 'html'])
  const [again, alone] = [await place.backup(formats, false), await place.backup(formats, true)]
  for (const path of new Set([...Object.keys(again), ...Object.keys(alone)]))
    if (JSON.stringify(again[path]) !== JSON.stringify(alone[path])) problems.push(`backups differ in ${path}`)
  return problems
}

async function snapshot(world: World, place: Place, plan: Plan): Promise<Ran> {
  const { sandbox } = world
  if (plan.damage !== undefined) await place.script(plan.damage)
  if (plan.args.includes('--workers') && !place.isOnServer)
    return await snapshot(world, place, { ...plan, args: plan.args.filter((word) => !/workers|2/.test(word)) })
  const args = ['snapshot', '--archived-page-size', '4', '--events-window', '6000d', ...plan.args]
  const { stop } = plan
  sandbox.setExtended([...world.offers])
  sandbox.setQuirks(plan.quirks)
  for (const fault of plan.faults) sandbox.faults.add(fault)
  try {
    if (stop === undefined) return await place.extract(args)
    const last = Math.max(sandbox.requests.length, 30) * stop.at
    sandbox.clearRequests()
    let requests = 0
    let remove = () => {}
    await place.extract(args, {
      onStart: (started) => {
        remove = sandbox.beforeRequest(() => {
          if (++requests === Math.ceil(last)) started.kill(stop.signal)
        })
      },
    })
    remove()
    return await place.extract([...args, ...(stop.resumes ? ['--resume'] : [])])
  } finally {
    sandbox.faults.clear()
  }
}
