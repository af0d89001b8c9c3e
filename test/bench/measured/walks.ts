import { archivedTasks, type Client, createClient } from '@collab-etl/core'
import { pidOf, TOKEN } from '../source/world.ts'

/** Pages through a project's archived tasks; returns the number of tasks. */
export type Walk = (client: Client, pageSize: number) => Promise<number>

/** The product's way, which reads every page twice for certainty, with so many parallel pages. */
export function ownWalk(lookahead: number): Walk {
  return async (client, pageSize) => {
    const walk = archivedTasks(client, { pid: pidOf(0), pageSize, lookahead })
    for (;;) {
      const next = await walk.next()
      if (!next.done) continue
      if (next.value.drifted) throw new Error('inconsistent read of a list that did not change')
      return next.value.read
    }
  }
}

/** A simple loop: page after page, each once, until one is empty. */
export const plainLoop: Walk = async (client, size) => {
  let read = 0
  for (let page = 1; ; page++) {
    const tasks = await client.tasks.archived.list({ pid: pidOf(0), page, size })
    if (tasks.length === 0) return read
    read += tasks.length
  }
}

/** Milliseconds of paging through; fails if the number of tasks is wrong. */
export async function timed(walk: Walk, baseUrl: string, pages: number, pageSize: number): Promise<number> {
  const client = createClient({ baseUrl, token: TOKEN, concurrency: 8 })
  try {
    const begun = performance.now()
    const read = await walk(client, pageSize)
    const took = performance.now() - begun
    if (read !== pages * pageSize) throw new Error(`a walk read ${read} tasks of ${pages * pageSize}`)
    return took
  } finally {
    await client.close()
  }
}
