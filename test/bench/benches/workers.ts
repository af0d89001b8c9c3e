import type { Bench, Figure, Sizes } from '../bench.ts'
import { firstSnapshot } from '../measured/snapshot.ts'
import { dropSchemas } from '../postgres/database.ts'
import { startSource } from '../source/start-source.ts'
import type { World } from '../source/world.ts'

interface Comparison {
  readonly name: string
  readonly what: string
  readonly limit: NonNullable<Figure['limit']>
  readonly workers: number
}

interface Kind {
  readonly world: (sizes: Sizes) => Partial<World>
  /** Of each process. */
  readonly concurrency: number
  readonly comparisons: readonly Comparison[]
}

/** A service that is slow, projects that take processor time, and projects that take little of both. */
const KINDS: readonly Kind[] = [
  {
    world: ({ sharedProjects, tasksPerProject, latencyMs }) => ({
      projects: sharedProjects.slow,
      tasks: tasksPerProject,
      latencyMs,
    }),
    concurrency: 2,
    comparisons: [
      {
        name: 'workers-4',
        workers: 4,
        limit: { atLeast: 3.6 },
        what: 'snapshot of 400 projects at 50 ms per request by 4 workers against one process',
      },
      { name: 'workers-8', workers: 8, limit: { atLeast: 6.5 }, what: 'the same by 8 workers' },
    ],
  },
  {
    world: ({ sharedProjects, tasksPerLargeProject: tasks }) => ({ projects: sharedProjects.large, tasks }),
    concurrency: 8,
    comparisons: [
      {
        name: 'workers-processors',
        workers: 2,
        limit: { atLeast: 1.4 },
        what: 'snapshot of 8 projects of 50,000 tasks by 2 workers against one process',
      },
    ],
  },
  {
    world: ({ sharedProjects, tasksPerProject: tasks }) => ({ projects: sharedProjects.small, tasks }),
    concurrency: 8,
    comparisons: [
      {
        name: 'workers-queue',
        workers: 1,
        limit: { atMost: 1.1 },
        what: 'snapshot of 2,000 small projects by 1 worker against one process',
      },
    ],
  },
]

/** Snapshots by several processes, each against one process with the same concurrency. */
export const workers: readonly Bench[] = KINDS.map((kind) => ({
  figures: kind.comparisons.map(({ name, what, limit }) => ({
    name,
    what,
    limit,
    unit: 'atLeast' in limit ? '× faster' : '×',
  })),
  onPostgres: true,
  async *measure(context) {
    await using source = await startSource(kind.world(context.sizes))
    const wanted = kind.comparisons.filter(({ name }) => context.wanted.has(name))
    for (let number = 1; number <= context.runs; number++) {
      const first = (label: string, count?: number) => {
        context.say(`run ${number} of ${context.runs}: ${label}`)
        return firstSnapshot(context, `${label}-${number}`, {
          baseUrl: source.baseUrl,
          concurrency: kind.concurrency,
          workers: count,
        })
      }
      const one = await first(`one process for ${wanted.map(({ name }) => name).join(' and ')}`)
      for (const { name, workers: count, limit } of wanted) {
        const many = await first(name, count)
        const [oneMs, manyMs] = [one.durationMs, many.durationMs]
        yield {
          figure: name,
          value: 'atLeast' in limit ? oneMs / manyMs : manyMs / oneMs,
          parts: { oneMs, manyMs, oneRequests: one.requests, manyRequests: many.requests },
        }
      }
    }
    await dropSchemas(context.server.url)
  },
}))
