/** @module-tag thorough */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran } from '@collab-etl/harness/commands'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { OwnServer } from '../database/own-server.ts'
import { ask } from '../database/server.ts'
import { fault } from '../support/fault.ts'
import { Fixture } from '../support/fixture.ts'
import { byChance } from './support/chance.ts'
import { type Process, type Reference, RunByWorkers } from './support/run-by-workers.ts'

const WORKERS = 3

/** Longer than a job may be without a heartbeat, and than a session may be idle in a publishing transaction. */
const STALL_MS = 40_000
const LONG_STALL_MS = 70_000

/** Runs with random faults: each takes a minute. */
const RANDOM_RUNS = Number(process.env['COLLAB_TEST_ROUNDS'] ?? 3)
const AT_ONCE = 3

let reference: Reference
let server: OwnServer

beforeAll(async () => {
  server = await OwnServer.start({ maxConnections: 100 })
  await using fixture = await Fixture.create()
  reference = await RunByWorkers.byOne(fixture)
})

afterAll(() => server[Symbol.asyncDispose]())

type What = 'kill worker' | 'stop worker' | 'kill coordinator' | 'stop coordinator' | 'crash server'

interface Disturbance {
  readonly what: What
  /** Number of the request of the service at which it happens. */
  readonly request: number
  readonly victim: number
  readonly stallMs: number
}

/** Ends a session of the server like the out-of-memory killer: the server ends all others, empties unlogged tables and recovers. */
async function crashServer(): Promise<void> {
  const pid = `SELECT pid FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() LIMIT 1`
  const [victim] = await ask(server.url, pid)
  await server.shell(`kill -9 ${victim?.['pid']}`)
}

/** Runs a snapshot by workers with one disturbance, and expects that it leaves what one process leaves. */
async function disturb(fixture: Fixture, { what, request, victim, stallMs }: Disturbance): Promise<Ran> {
  await using run = await RunByWorkers.open(fixture, what === 'crash server' ? server.url : undefined)
  for (let worker = 0; worker < WORKERS; worker++) await run.startWorker()
  let coordinator: Process | undefined
  const target = () => (what.endsWith('worker') ? run.workers[victim] : coordinator)
  let stalled: Promise<void> = Promise.resolve()
  const disturbed = run.atRequest(request, async () => {
    if (what === 'crash server') return await crashServer()
    target()?.kill(what.startsWith('kill') ? 'SIGKILL' : 'SIGSTOP')
    if (what.startsWith('stop')) stalled = sleep(stallMs).then(() => void target()?.kill('SIGCONT'))
  })
  coordinator = await run.coordinate()
  const ran = await run.finish(coordinator)
  await disturbed.done()
  // work that a stalled process had begun must change nothing when it continues
  await stalled
  const ended = await run.stopWorkers()
  expect(ended.filter(({ signal }) => signal === 'SIGKILL')).toHaveLength(what === 'kill worker' ? 1 : 0)
  await run.expectAs(reference)
  return ran
}

describe.concurrent('a snapshot by three workers', () => {
  const middle = (share: number) => Math.round(reference.requests * share)
  const rows: readonly { title: string; of: () => Disturbance }[] = [
    {
      title: 'one of three workers is killed',
      of: () => ({ what: 'kill worker', request: middle(0.4), victim: 0, stallMs: 0 }),
    },
    {
      title: 'one of three workers is stopped for 40 seconds',
      of: () => ({ what: 'stop worker', request: middle(0.5), victim: 1, stallMs: STALL_MS }),
    },
    {
      title: 'the coordinator of three workers is killed, then --resume',
      of: () => ({ what: 'kill coordinator', request: middle(0.5), victim: 0, stallMs: 0 }),
    },
    {
      title: 'the coordinator of three workers is stopped for 40 seconds',
      of: () => ({ what: 'stop coordinator', request: middle(0.3), victim: 0, stallMs: STALL_MS }),
    },
    {
      title: 'the server crashes under three workers',
      of: () => ({ what: 'crash server', request: middle(0.6), victim: 0, stallMs: 0 }),
    },
  ]
  for (const { title, of } of rows) {
    fault(title, async (fixture) => fixture.cured(await disturb(fixture, of())))
  }
})

fault('snapshots by workers: random kills, stops and crashes', (fixture) =>
  byChance((random) => disturbAgainAndAgain(fixture, random)),
)

const KINDS: readonly What[] = ['kill worker', 'stop worker', 'kill coordinator', 'stop coordinator', 'crash server']

async function disturbAgainAndAgain(fixture: Fixture, random: () => number) {
  const all = Array.from({ length: RANDOM_RUNS }, (_, number): Disturbance & { number: number } => ({
    number,
    what: KINDS[Math.floor(random() * KINDS.length)] ?? 'kill worker',
    request: 1 + Math.floor(random() * reference.requests * 0.95),
    victim: Math.floor(random() * WORKERS),
    stallMs: LONG_STALL_MS,
  }))
  // a crash disturbs all runs on that server
  const queues = [all.filter(({ what }) => what === 'crash server'), all.filter(({ what }) => what !== 'crash server')]
  let last: Ran | undefined
  const work = async (queue: (Disturbance & { number: number })[]) => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const where = `${next.number}: ${next.what} ${next.victim} at request ${next.request}`
      last = await disturb(fixture, next).catch((cause: unknown) => {
        throw new Error(where, { cause })
      })
      process.stdout.write(`  ${where}: whole\n`)
    }
  }
  const [crashes = [], others = []] = queues
  await Promise.all([work(crashes), ...Array.from({ length: AT_ONCE }, () => work(others))])
  return fixture.cured(last as Ran) // there is at least one
}
