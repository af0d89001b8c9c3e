/** @module-tag thorough */

import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect } from 'vitest'
import { commit } from '../database/moments.ts'
import { PostgresProxy } from '../database/proxy.ts'
import { fault } from '../support/fault.ts'
import { Fixture } from '../support/fixture.ts'
import { type Reference, RunByWorkers } from './support/run-by-workers.ts'

/** A statement that only publishing transactions of workers contain. */
const IS_CURRENT = /\.runs WHERE run_id = .* FOR SHARE/

/** Processor time that a worker without its database may use, in seconds; a loop would use all of it. */
const MOST_CPU_S = 5

/** Others take the projects within 25 seconds, and then read them; a chain of locks that each end by their own timeout takes longer. */
const MOST_MS = 90_000

/** Warnings and errors that such a worker may log, at most. */
const MOST_LINES = 20

let reference: Reference

beforeAll(async () => {
  await using fixture = await Fixture.create()
  reference = await RunByWorkers.byOne(fixture)
})

/** Processor time of a process, in seconds. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return (user + system) / 100
}

interface Partition {
  readonly title: string
  /** Cuts the worker off at a moment. Resolves once it is cut off. */
  readonly cut: (run: RunByWorkers, proxy: PostgresProxy) => Promise<void>
}

const PARTITIONS: readonly Partition[] = [
  {
    title: 'the network between a worker and the database fails',
    cut: async (run, proxy) => {
      const cut = Promise.withResolvers<void>()
      run.atRequest(Math.round(reference.requests / 2), async () => {
        proxy.freeze()
        cut.resolve()
      })
      await cut.promise
    },
  },
  {
    title: 'the network of a worker fails before a COMMIT',
    cut: async (_, proxy) => {
      const cut = Promise.withResolvers<void>()
      proxy.once('COMMIT of a project', commit(IS_CURRENT), () => {
        proxy.freeze()
        cut.resolve()
        return 'pass'
      })
      await cut.promise
    },
  },
]

describe.concurrent('a worker without its database', () => {
  for (const { title, cut } of PARTITIONS) {
    fault(title, async (fixture) => {
      await using run = await RunByWorkers.open(fixture)
      await using proxy = await PostgresProxy.start(run.world.url)
      const worker = await run.startWorker(proxy.url(run.world.url))
      const isCut = cut(run, proxy)
      const coordinator = await run.coordinate()
      await Promise.race([isCut, coordinator.ended])
      for (let other = 0; other < 2; other++) await run.startWorker()
      const before = await processorTime(worker.pid)
      const cutAt = performance.now()
      const ran = await coordinator.ended
      expect(performance.now() - cutAt).toBeLessThan(MOST_MS)
      // longer than the pause before it connects again
      await sleep(5000)
      expect((await processorTime(worker.pid)) - before).toBeLessThan(MOST_CPU_S)
      proxy.thaw()
      await run.expectAs(reference)

      // once the others have ended, only this worker can read the next snapshot
      const [alone, ...others] = run.workers.splice(0)
      expect(alone).toBe(worker)
      run.workers.push(...others)
      await run.stopWorkers()
      run.workers.push(worker)
      fixture.cured(await (await run.coordinate(['--full'])).ended)
      const [ended] = await run.stopWorkers()
      const lines = ended?.stderr.split('\n') ?? []
      const problems = lines.filter((line) => line.includes('"level":"warn"') || line.includes('"level":"error"'))
      expect(problems.length, problems.slice(0, MOST_LINES).join('\n')).toBeLessThan(MOST_LINES)
      proxy.expectSprung()
      await run.world.expectTruth()
      return fixture.cured(ran)
    })
  }
})
