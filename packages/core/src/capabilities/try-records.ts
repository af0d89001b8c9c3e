import { isAskableId } from '@collab-etl/contract/id'
import type { StreamBatch } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'

/** The first record of each kind that was read of a project: operations on one record are tried out with it. */
export class FirstRecords {
  #tid: string | undefined
  #pageId: string | undefined
  #eventId: string | undefined

  /** The id of the first event; `undefined`: none was read yet. */
  get eventId(): string | undefined {
    return this.#eventId
  }

  note({ kind, records, unchanged = [] }: Pick<StreamBatch, 'kind' | 'records' | 'unchanged'>): void {
    const first = (records[0] ?? unchanged[0]) as { tid: string; page_id: string; event_id: string } | undefined
    if (first === undefined) return
    if (kind === 'task' || kind === 'archived_task') this.#tid ??= askable(first.tid)
    else if (kind === 'page') this.#pageId ??= askable(first.page_id)
    else if (kind === 'event') this.#eventId ??= askable(first.event_id)
  }

  /** Tries out the operations on one record, each once for all projects. */
  async tryOut(client: Client, pid: string, signal: AbortSignal | undefined): Promise<void> {
    const { capabilities } = client
    const [tid, page_id] = [this.#tid, this.#pageId]
    await Promise.all([
      tid && capabilities.tryOut('tasks.get', (how) => client.tasks.get({ pid, tid }, { ...how, signal })),
      page_id && capabilities.tryOut('pages.get', (how) => client.pages.get({ pid, page_id }, { ...how, signal })),
      this.tryOutEvent(client, pid, signal),
    ])
  }

  /** Tries out the operation on one event, unless no event was read yet. */
  async tryOutEvent(client: Client, pid: string, signal: AbortSignal | undefined): Promise<void> {
    const event_id = this.#eventId
    if (event_id === undefined) return
    await client.capabilities.tryOut('events.get', (how) => client.events.get({ pid, event_id }, { ...how, signal }))
  }
}

function askable(id: string): string | undefined {
  return isAskableId(id) ? id : undefined
}
