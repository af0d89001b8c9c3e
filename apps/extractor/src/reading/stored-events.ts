import type { StoredEvent } from '@collab-etl/contract/streams'
import type { Warehouse } from '@collab-etl/warehouse'

/** The live events of a project in the warehouse, a few at a time. */
export function storedEventsOf(warehouse: Warehouse, pid: string): () => AsyncIterable<StoredEvent> {
  return async function* () {
    const columns = ['event_id', 'starts_at']
    for await (const row of warehouse.rows('events', { pid, columns })) {
      yield { eventId: String(row['event_id']), startsAt: String(row['starts_at']) }
    }
  }
}
