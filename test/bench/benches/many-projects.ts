import type { Bench } from '../bench.ts'
import { firstSnapshot } from '../measured/snapshot.ts'
import { dropSchemas } from '../postgres/database.ts'
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
    const { server, runs, sizes } = context
    const { projects, tasksPerProject: tasks, latencyMs } = sizes
    await using source = await startSource({ projects, tasks, latencyMs })
    for (let number = 1; number <= runs; number++) {
      context.say(`run ${number} of ${runs}: snapshot of ${projects} projects`)
      const { durationMs, processMs, requests } = await firstSnapshot(context, `many-projects-${number}`, {
        baseUrl: source.baseUrl,
        concurrency: CONCURRENCY,
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
