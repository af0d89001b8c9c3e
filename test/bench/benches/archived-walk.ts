import { archivedTasks, createClient } from '@collab-etl/core'
import type { Bench } from '../bench.ts'
import { startSource } from '../source/start-source.ts'
import { pidOf, TOKEN } from '../source/world.ts'

/** A long list of archived tasks of a slow service, paged through in parallel and one page at a time. */
export const archivedWalk: Bench = {
  figures: [
    {
      name: 'archived',
      what: 'paging through 2,000 pages of archived tasks, 8 in parallel, against one at a time',
      unit: '× faster',
      limit: { atLeast: 7 },
    },
  ],
  onPostgres: false,
  async *measure({ sizes, runs, say }) {
    const { archivedPages: pages, archivedPageSize: pageSize, latencyMs } = sizes
    const tasks = pages * pageSize
    await using source = await startSource({ archivedTasks: tasks, latencyMs })
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}: archived tasks`)
      const aheadMs = await walk(source.baseUrl, { tasks, pageSize, lookahead: 8 })
      const oneByOneMs = await walk(source.baseUrl, { tasks, pageSize, lookahead: 1 })
      yield { figure: 'archived', value: oneByOneMs / aheadMs, parts: { aheadMs, oneByOneMs } }
    }
  },
}

/** Milliseconds of paging through, with so many parallel pages; fails if the number of tasks is wrong. */
async function walk(
  baseUrl: string,
  { tasks, pageSize, lookahead }: { tasks: number; pageSize: number; lookahead: number },
): Promise<number> {
  const client = createClient({ baseUrl, token: TOKEN, concurrency: 8 })
  try {
    const begun = performance.now()
    const pages = archivedTasks(client, { pid: pidOf(0), pageSize, lookahead })
    let next = await pages.next()
    while (!next.done) next = await pages.next()
    const { drifted, read } = next.value
    if (drifted || read !== tasks) throw new Error(`a walk read ${read} tasks of ${tasks}`)
    return performance.now() - begun
  } finally {
    await client.close()
  }
}
