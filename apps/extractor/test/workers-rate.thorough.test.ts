/** @module-tag thorough */

import { availableParallelism, loadavg } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, Started } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, test } from 'vitest'
import { migratedDatabase } from './databases.ts'
import { fixture } from './support.ts'

const server = postgresServer()

const RATE = 40
const SECONDS = 60

/** More requests than the test has time for at this rate. */
const SIZES = { projects: 480, tasks: 480, archived: 480, pages: 480, posts: 0, events: 480 }

/** A process that stalls for longer is late, in milliseconds. */
const QUIET_MS = 50

/** On a busy machine, workers and the network are late as well, which this process does not notice. */
const BUSY_SECONDS = 0.5

describe.runIf(server !== null)('the rate of four workers', () => {
  test('is 40 a second over a minute in which workers join and leave, and a 429 pauses all', async () => {
    const { url, drop } = await migratedDatabase(server ?? '')
    await using cleanUp = new AsyncDisposableStack()
    cleanUp.defer(drop)
    const at = cleanUp.use(await fixture({ ...SIZES, databaseUrl: url }))
    const processes: { command: Started; ended: Promise<Ran> }[] = []
    // also if an expectation fails
    cleanUp.defer(async () => {
      for (const { command } of processes) command.kill('SIGTERM')
      await Promise.allSettled(processes.map(({ ended }) => ended))
    })
    const start = async (args: readonly string[]) => {
      const { promise, resolve } = Promise.withResolvers<Started>()
      const ended = at.extract(args, { onStart: resolve })
      const command = await promise
      processes.push({ command, ended })
      return { command, ended }
    }
    const arrivals: number[] = []
    at.sandbox.beforeRequest(() => void arrivals.push(performance.now()))

    const leaving = await start(['worker'])
    for (let worker = 1; worker < 4; worker++) await start(['worker'])
    const snapshot = await start(['snapshot', '--workers', '0', '--rate', String(RATE), '--json'])
    const readers = 'SELECT count(DISTINCT worker)::integer AS readers FROM collab.run_scopes'
    await expect.poll(async () => (await at.query(readers))[0]?.['readers'], { timeout: 120_000 }).toBe(4)

    // the service is in this process, and counts as late as this process is
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const begun = performance.now()
    const until = (second: number) => sleep(begun + second * 1000 - performance.now())
    await until(15)
    await start(['worker'])
    await until(30)
    leaving.command.kill('SIGTERM')
    await until(40)
    await start(['worker'])
    await until(SECONDS)
    delay.disable()
    const stalledMs = delay.max / 1e6
    const stalled = stalledMs > QUIET_MS ? stalledMs / 1000 : 0
    const isBusy = (loadavg()[0] ?? 0) > availableParallelism()
    const late = Math.ceil(RATE * Math.max(stalled, isBusy ? BUSY_SECONDS : 0))
    const counted = arrivals.filter((time) => time >= begun && time < begun + SECONDS * 1000)
    const inSecond = counted.map((from, index) => counted.findLastIndex((time) => time < from + 1000) - index + 1)
    const rate = { perSecond: counted.length / SECONDS, most: Math.max(...inSecond), stalledMs }
    process.stdout.write(`rate of four workers: ${JSON.stringify(rate)}\n`)
    expect(rate.perSecond).toBeLessThanOrEqual(RATE + 1 + late / SECONDS)
    expect(rate.perSecond).toBeGreaterThanOrEqual(RATE - 1 - late)
    expect(rate.most).toBeLessThanOrEqual(RATE + 4 + late)

    at.sandbox.faults.add({ kind: 'rate_limit', retryAfter: 4 })
    await expect.poll(() => at.sandbox.requests.some(({ status }) => status === 429), { interval: 10 }).toBe(true)
    const limited = performance.now()
    await expect.poll(() => arrivals.at(-1), { timeout: 60_000 }).toBeGreaterThan(limited + 1000)
    const next = arrivals.find((time) => time > limited + 1000) ?? 0
    // the other workers know the pause within a quarter of a second
    expect(next - limited).toBeGreaterThan(3500)

    expect((await snapshot.ended).code).toBe(0)
  }, 400_000)
})
