import { join } from 'node:path'
import type { Bench, BenchContext } from '../bench.ts'
import { initialise, type Snapshot, snapshot } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** Ten times the tasks in the same memory. Always run once, because it takes minutes. */
export const memory: Bench = {
  figures: [
    {
      name: 'memory-million',
      what: 'peak memory of the first snapshot of 1,000,000 tasks against 100,000',
      unit: '×',
      limit: { atMost: 1.2 },
    },
    {
      name: 'memory-million-again',
      what: 'peak memory of the second snapshot of 1,000,000 tasks, nothing changed',
      unit: 'MB',
      limit: { atMost: 200 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const few = await snapshots(context, context.sizes.tasks, 1)
    const again = context.wanted.has('memory-million-again')
    const many = await snapshots(context, context.sizes.manyTasks, again ? 2 : 1)
    const [fewMB = Number.NaN, manyMB = Number.NaN, againMB = Number.NaN] = [...few, ...many].map(
      ({ peakMemory }) => peakMemory / 1e6,
    )
    const parts = { fewMB, manyMB, manyMs: many[0]?.durationMs ?? Number.NaN }
    yield { figure: 'memory-million', value: manyMB / fewMB, parts }
    if (again)
      yield {
        figure: 'memory-million-again',
        value: againMB,
        parts: { ...parts, againMs: many[1]?.durationMs ?? Number.NaN },
      }
    await dropSchemas(context.server.url)
  },
}

/** Successive snapshots of a project with so many tasks. */
async function snapshots(context: BenchContext, tasks: number, times: number): Promise<Snapshot[]> {
  const { server, scratch, profile } = context
  await using source = await startSource({ tasks, streamed: true })
  const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
  await dropSchemas(server.url)
  await initialise(warehouse)
  const taken: Snapshot[] = []
  for (let time = 1; time <= times; time++) {
    await settle(server.url)
    context.say(`memory: snapshot ${time} of ${tasks} tasks`)
    const folder = profile === undefined ? undefined : join(profile, `memory-${tasks}-${time}`)
    taken.push(await snapshot({ baseUrl: source.baseUrl, warehouse, profile: folder }))
  }
  return taken
}
