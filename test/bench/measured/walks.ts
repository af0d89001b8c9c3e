import { archivedTasks, type Client, createClient } from '@collab-etl/core'
import { pidOf, TOKEN } from '../source/world.ts'

/** A walk over a project's archived tasks; gives how many it read. */
export type Walk = (client: Client, pageSize: number) => Promise<number>

/** The tool's own walk, which reads every page twice to be sure of what is there, with so many pages under way. */
export function ownWalk(lookahead: number): Walk {
  return async (client, pageSize) => {
    const walk = archivedTasks(client, { pid: pidOf(0), pageSize, lookahead })
    for (;;) {
      const next = await walk.next()
      if (!next.done) continue
      if (next.value.drifted) throw new Error('the walk drifted over a list that did not change')
      return next.value.read
    }
  }
}

/** What one writes first: page after page, each once, until one is empty. */
export const plainLoop: Walk = async (client, size) => {
  let read = 0
  for (let page = 1; ; page++) {
    const tasks = await client.tasks.archived.list({ pid: pidOf(0), page, size })
    if (tasks.length === 0) return read
    read += tasks.length
  }
}

/** Milliseconds of a walk that reads as many as it should. */
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
