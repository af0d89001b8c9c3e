import type { PageStore, RecordKinds, StreamBatch, StreamName } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { archivedTasks } from '../walk/archived-tasks.ts'
import { cutAt, POSSIBLY_CAPPED } from '../walk/cut.ts'
import { events } from '../walk/events.ts'
import type { IdQueues } from './id-queues.ts'
import { PageParents, readList, TodoCounts } from './read-list.ts'
import type { ResolvedOptions } from './read-options.ts'
import { type Ending, type ScopeReading, SinkFailure } from './scope-reading.ts'
import { readTaskParts, SeenTasks } from './task-parts.ts'
import { endingOfRanges } from './unread-items.ts'

/** Context of reading a listed stream. */
export interface ListedContext {
  readonly client: Client
  readonly pid: string
  readonly options: ResolvedOptions
  readonly signal: AbortSignal
  readonly found: IdQueues
  readonly busy: BusyTimes
}

type ReadStream = (context: ListedContext, reading: ScopeReading) => Promise<Ending>

const COMPLETE: Ending = { status: 'complete' }

/** The streams of a project that the service lists, without its detail. */
export const LISTED_STREAMS = {
  tasks: (context, reading) => {
    const { client, pid, signal } = context
    const toBatch = (records: Pick<RecordBatch<RecordKinds['task']>, 'records' | 'losses'>) =>
      addLinks(context, 'task', { kind: 'task', ...records })
    const seen = new SeenTasks()
    return readList<RecordKinds['task']>(
      {
        ...{ operation: 'tasks.list', pid, findings: client.findings, signal, toBatch, evidence: seen },
        batches: (options) => client.tasks.list.batches({ pid, type: 'all' }, options),
        confirm: (count) => readTaskParts(context, { seen, count, toBatch }, reading),
      },
      reading,
    )
  },

  archived_tasks: async (context, reading) => {
    const { client, pid, options } = context
    const { archivedPageSize: pageSize, archivedPages } = options
    const store = archivedPages && failingAsSink(archivedPages)
    const todos = new TodoCounts()
    const walk = archivedTasks(client, { pid, pageSize, store, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (!next.done) {
        const { records, losses } = next.value
        const whole = [...losses, ...todos.see(records)]
        await reading.write(addLinks(context, 'task', { kind: 'archived_task', records, losses: whole }))
        continue
      }
      const { pages, read, drifted, isCut, reason = '' } = next.value
      reading.pages = pages
      reading.read = read
      const code = isCut ? POSSIBLY_CAPPED : 'DRIFTED'
      if (drifted) return { status: 'drifted', error: { code, message: reason } }
      const { ofRecords } = todos.found()
      return ofRecords === null ? COMPLETE : { status: 'drifted', error: { code: POSSIBLY_CAPPED, message: ofRecords } }
    }
  },

  pages: (context, reading) => {
    const { client, pid, signal } = context
    return readList<RecordKinds['page']>(
      {
        ...{ operation: 'pages.list', pid, findings: client.findings, signal, evidence: new PageParents() },
        batches: (options) => client.pages.list.batches({ pid }, options),
        toBatch: (records) => addLinks(context, 'page', { kind: 'page', ...records }),
      },
      reading,
    )
  },

  events: async (context, reading) => {
    const { client, pid, options, busy } = context
    const range = { from: options.eventsFrom, to: options.eventsTo }
    const [from, to] = [range.from.getTime(), range.to.getTime()]
    const known = { widest: options.eventsWindow, stored: options.storedEvents, busyTimes: () => busy.times() }
    const walk = events(client, { pid, from, to, ...known, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (next.done) {
        const { windows, cappedAt, beyond, unread } = next.value
        reading.pages = windows
        const ending = endingOfRanges(unread)
        const whole = { ...ending, range, ...(beyond.length > 0 && { beyond }) }
        if (cappedAt === null) return whole
        return { ...whole, status: 'drifted', error: { code: POSSIBLY_CAPPED, message: cutAt(cappedAt) } }
      }
      const { records, losses } = next.value
      await reading.write(addLinks(context, 'event', { kind: 'event', records, losses }))
    }
  },

  webhooks: ({ client, pid, signal }, reading) => readWebhooks(client, { pid }, signal, reading),
} satisfies Partial<Record<StreamName, ReadStream>>

/** Webhooks of a project, or personal ones. */
export function readWebhooks(
  client: Client,
  of: { readonly pid?: string },
  signal: AbortSignal,
  reading: ScopeReading,
): Promise<Ending> {
  return readList<RecordKinds['webhook']>(
    {
      ...{ operation: 'webhooks.list', pid: of.pid ?? null, findings: client.findings, signal },
      batches: (options) => client.webhooks.list.batches(of, options),
      toBatch: ({ records, losses }) => ({ kind: 'webhook', records, losses }),
    },
    reading,
  )
}

/** An error of the store ends the reading like an error of the sink: the service is not the cause. */
function failingAsSink(store: PageStore): PageStore {
  return {
    async *pages() {
      try {
        yield* store.pages()
      } catch (cause) {
        throw new SinkFailure(cause)
      }
    },
    async save(page) {
      try {
        await store.save(page)
      } catch (cause) {
        throw new SinkFailure(cause)
      }
    },
    onResume: (page) => store.onResume?.(page),
  }
}

function addLinks(context: ListedContext, source: string, batch: StreamBatch): StreamBatch {
  context.found.addLinks(batch, source)
  context.busy.note(batch)
  return batch
}

function callOptions({ signal }: ListedContext, { stats }: ScopeReading): CallOptions {
  return { signal, stats }
}

const DAY = 86_400_000

/** Number of times to return, one month apart. */
const STEP = 31 * DAY
const STEPS = 12

/** Times at which a project was busy, by the dates of the records of its other streams: events are likely there. */
export class BusyTimes {
  #latest = Number.NEGATIVE_INFINITY
  #others: Promise<unknown> = Promise.resolve()

  /** Sets the streams to wait for. */
  waitFor(others: Promise<unknown>): void {
    this.#others = others
  }

  note(batch: StreamBatch): void {
    if (batch.kind !== 'task' && batch.kind !== 'archived_task' && batch.kind !== 'page') return
    for (const { updated_at: updated } of batch.records) {
      const time = Date.parse(updated ?? '')
      if (time > this.#latest) this.#latest = time
    }
  }

  /** The month after the last change, the month of it, and months before, once the other streams have been read. */
  async times(): Promise<number[]> {
    await this.#others
    if (!Number.isFinite(this.#latest)) return []
    return Array.from({ length: STEPS }, (_, step) => this.#latest + (1 - step) * STEP)
  }
}
