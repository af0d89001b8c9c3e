import type { StoredEvent } from '@collab-etl/contract/streams'
import type { ReadProjectOptions } from '@collab-etl/core'
import type { Warehouse } from '@collab-etl/warehouse'

/** Known posts and files of a project, as options for reading the project. */
export type KnownThings = Required<Pick<ReadProjectOptions, 'knownPosts' | 'knownFiles'>>

/**
 * Posts and files of a project that the warehouse knows; the service does not list them. Ids that were not found
 * recently wait before they are requested again, except those in `named`, which the user requests.
 */
export async function knownThings(
  warehouse: Warehouse,
  pid: string,
  named: ReadonlySet<string> = new Set(),
): Promise<KnownThings> {
  const [posts, knownFiles] = await Promise.all([
    warehouse.log.knownIds('post', pid),
    warehouse.log.knownIds('file', pid),
  ])
  const asked = { isWaiting: false, isDoubtful: false, isFromText: false }
  return { knownPosts: posts.map((post) => (named.has(post.id) ? { ...post, ...asked } : post)), knownFiles }
}

/** Whether the warehouse has live rows of a project in a table. */
export async function hasStored(warehouse: Warehouse, table: 'projects' | 'webhooks', pid: string): Promise<boolean> {
  for await (const _ of warehouse.rows.of(table, { pid, columns: ['pid'] })) return true
  return false
}

/** The live events of a project in the warehouse, a few at a time. */
export function storedEventsOf(warehouse: Warehouse, pid: string): () => AsyncIterable<StoredEvent> {
  return async function* () {
    const columns = ['event_id', 'starts_at']
    for await (const row of warehouse.rows.of('events', { pid, columns })) {
      yield { eventId: String(row['event_id']), startsAt: String(row['starts_at']) }
    }
  }
}
