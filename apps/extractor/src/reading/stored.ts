import type { StoredEvent } from '@collab-etl/contract/streams'
import type { KnownId, ReadProjectOptions } from '@collab-etl/core'
import type { KnownKind, Warehouse } from '@collab-etl/warehouse'

/** Known posts and files of a project, as options for reading the project. */
export type KnownThings = Required<
  Pick<ReadProjectOptions, 'knownPosts' | 'knownFiles' | 'waitingPosts' | 'waitingFiles'>
>

/**
 * Posts and files of a project that the warehouse knows; the service does not list them. Ids that were not found
 * recently wait before they are requested again, except those in `named`, which the user requests.
 */
export async function knownThings(
  warehouse: Warehouse,
  pid: string,
  named: ReadonlySet<string> = new Set(),
): Promise<KnownThings> {
  const [posts, files] = await Promise.all([
    thingsOf(warehouse, 'post', pid, named),
    thingsOf(warehouse, 'file', pid, new Set()),
  ])
  return { knownPosts: posts.ids, waitingPosts: posts.waiting, knownFiles: files.ids, waitingFiles: files.waiting }
}

async function thingsOf(
  warehouse: Warehouse,
  kind: KnownKind,
  pid: string,
  named: ReadonlySet<string>,
): Promise<{ ids: KnownId[]; waiting: Set<string> }> {
  const known = await warehouse.log.knownIds(kind, pid)
  const waits = ({ id, isWaiting }: (typeof known)[number]) => isWaiting && !named.has(id)
  return {
    ids: known
      .filter((each) => each.isUnread || !waits(each))
      .map((each) => ({
        ...{ ...each, isWaiting: waits(each) },
        ...(named.has(each.id) && { isDoubtful: false, isFromText: false }),
      })),
    waiting: new Set(known.flatMap((each) => (waits(each) && !each.isUnread ? [each.id] : []))),
  }
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
