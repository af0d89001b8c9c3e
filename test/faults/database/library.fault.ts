import type { Scope, ScopeResult } from '@collab-etl/contract/streams'
import { openWarehouse, type ProjectStage, type Run } from '@collab-etl/warehouse'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from './world.ts'

const MISUSE = { code: 'MISUSE' }

/** Passes a value like a program without types. */
const untyped = (value: unknown) => value as never // wrong on purpose

/** An empty page list that claims to be complete: published, it would mark every page of the project deleted. */
const emptyPages = (scope: Scope): ScopeResult => ({
  ...{ scope, status: 'complete', pages: 1, read: 0, requests: 1, bytes: 2 },
  ...{ startedAt: new Date(1), finishedAt: new Date(2) },
})

type Call = (stage: ProjectStage, scope: Scope) => Promise<unknown>

const LIMITS = { maxShrink: 0.5, allowShrink: false }

const CALLS: readonly Call[] = [
  ...[undefined, {}, { ...LIMITS, maxShrink: Number.NaN }, { ...LIMITS, maxShrink: 50 }, { maxShrink: 0.5 }].map(
    (limits): Call =>
      async (stage, scope) => {
        await stage.end(emptyPages(scope))
        await stage.publish(untyped(limits))
      },
  ),
  async (stage, scope) => stage.write(scope, untyped({ kind: 'pagess', records: [{}], losses: [] })),
  async (stage, scope) => stage.write(scope, untyped({ kind: 'task', records: [{}], losses: [] })),
  async (stage, scope) => stage.end({ ...emptyPages(scope), read: 5 }),
  async (stage, scope) => {
    await stage.end(emptyPages(scope))
    await stage.write(scope, { kind: 'page', records: [], losses: [] })
  },
]

fault(
  {
    category: 'database',
    name: 'misused library calls',
    does: 'a program publishes with limits of NaN or none, misspells a kind, writes after the end, begins two runs under one lock',
    holds: 'each call is rejected (`MISUSE`) and changes nothing; the next snapshot is complete',
  },
  async (fixture) => {
    await using world = await World.open(fixture)
    await world.fill()
    const warehouse = await openWarehouse({ databaseUrl: world.url, dataDir: fixture.path, schema: 'collab' })
    try {
      await using _lock = await warehouse.lock()
      const options = { baseUrl: world.sandbox.baseUrl, toolVersion: '1.0.0' }
      const run = await warehouse.beginRun(options)
      await expect(warehouse.beginRun(options)).rejects.toMatchObject(MISUSE)
      for (const call of CALLS) await misused(run, world.sandbox.pids[0] ?? '', call)
      await run.finish({ status: 'failed', requests: 0, retries: 0, bytes: 0 })
    } finally {
      await warehouse.close()
    }
    const next = await world.snapshot()
    await world.expectTruth()
    return fixture.cured(next)
  },
)

async function misused(run: Run, pid: string, call: Call): Promise<void> {
  const stage = await run.stage(pid)
  await expect(call(stage, { pid, stream: 'pages' })).rejects.toMatchObject(MISUSE)
  await stage.discard()
}
