import type { Bench } from '../bench.ts'
import { ownWalk, plainLoop, timed, type Walk } from '../measured/walks.ts'
import { startSource } from '../source/start-source.ts'

const WALK = 'archived'
const PLAIN = 'archived-plain'

/** A long list of archived tasks of a slow service, paged through in parallel and one page at a time. */
export const archivedWalk: Bench = {
  figures: [
    {
      name: WALK,
      what: 'paging through 2,000 pages of archived tasks, 8 in parallel, against one at a time',
      unit: '× faster',
      limit: { atLeast: 7 },
    },
    { name: PLAIN, what: 'the same, 8 in parallel, against a loop that reads each page once', unit: '× faster' },
  ],
  onPostgres: false,
  async *measure({ sizes, runs, wanted, say }) {
    const { archivedPages: pages, archivedPageSize: pageSize, latencyMs } = sizes
    await using source = await startSource({ archivedTasks: pages * pageSize, latencyMs })
    const time = (walk: Walk) => timed(walk, source.baseUrl, pages, pageSize)
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}: archived tasks`)
      const aheadMs = await time(ownWalk(8))
      // They only wait, so they can run in parallel.
      const [oneByOneMs, plainMs] = await Promise.all([
        wanted.has(WALK) ? time(ownWalk(1)) : undefined,
        wanted.has(PLAIN) ? time(plainLoop) : undefined,
      ])
      if (oneByOneMs !== undefined) yield { figure: WALK, value: oneByOneMs / aheadMs, parts: { aheadMs, oneByOneMs } }
      if (plainMs !== undefined) yield { figure: PLAIN, value: plainMs / aheadMs, parts: { aheadMs, plainMs } }
    }
  },
}
