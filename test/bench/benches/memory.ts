import { join } from 'node:path'
import type { Bench, BenchContext, Measured } from '../bench.ts'
import { initialise, type Snapshot, snapshot } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

/** Ten times the tasks in the same memory. Always run once, because it takes minutes. */
export const memory: Bench = {
  figures: [
    {
      name: 'memory-million',
      what: 'peak memory with ten times the tasks, against that',
      unit: '×',
      limit: { atMost: 1.2 },
    },
    {
      name: 'memory-million-again',
      what: 'the same of a second snapshot, nothing changed',
      unit: '×',
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const few = await snapshots(context, context.sizes.tasks, 1)
    const again = context.wanted.has('memory-million-again')
    const many = await snapshots(context, context.sizes.manyTasks, again ? 2 : 1)
    const figures = ['memory-million', 'memory-million-again']
    for (const [index, snapshot] of many.entries()) yield against(figures[index] ?? '', snapshot, few[0])
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

function against(figure: string, many: Snapshot, few: Snapshot | undefined): Measured {
  const fewMB = (few?.peakMemory ?? Number.NaN) / 1e6
  const manyMB = many.peakMemory / 1e6
  return { figure, value: manyMB / fewMB, parts: { fewMB, manyMB, manyMs: many.durationMs } }
}
