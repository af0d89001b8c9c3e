import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import { initialise, snapshot } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'

const CONCURRENCY = 8

/** Many small projects of a slow service: only the limit on parallel requests may delay the run. */
export const manyProjects: Bench = {
  figures: [
    {
      name: 'many-projects',
      what: 'snapshot of 200 projects at 50 ms per request against requests × latency ÷ 8',
      unit: '×',
      limit: { atMost: 1.1 },
    },
  ],
  onPostgres: true,
  async *measure(context) {
    const { server, scratch, runs, sizes, profile } = context
    const { projects, tasksPerProject: tasks, latencyMs } = sizes
    await using source = await startSource({ projects, tasks, latencyMs })
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    for (let number = 1; number <= runs; number++) {
      await dropSchemas(server.url)
      await initialise(warehouse)
      await settle(server.url)
      context.say(`run ${number} of ${runs}: snapshot of ${projects} projects`)
      const folder = profile === undefined ? undefined : join(profile, `many-projects-${number}`)
      const { durationMs, processMs, requests } = await snapshot({
        baseUrl: source.baseUrl,
        warehouse,
        concurrency: CONCURRENCY,
        profile: folder,
      })
      const leastMs = (requests * latencyMs) / CONCURRENCY
      yield {
        figure: 'many-projects',
        value: durationMs / leastMs,
        parts: { durationMs, processMs, requests, leastMs },
      }
    }
    await dropSchemas(server.url)
  },
}
