import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { archivedTasks } from '../walk/archived-tasks.ts'
import { POSSIBLY_CAPPED } from '../walk/cut.ts'
import { events } from '../walk/events.ts'
import type { PageStore } from '../walk/page-store.ts'
import type { RecordKinds, StreamBatch } from './batch.ts'
import type { FoundIds } from './found-ids.ts'
import type { ResolvedOptions } from './read-options.ts'
import type { StreamName } from './scope.ts'
import { type Ending, type ScopeReading, SinkFailure } from './scope-reading.ts'

/** What the reading of a listed stream needs. */
export interface ListedContext {
  readonly client: Client
  readonly pid: string
  readonly options: ResolvedOptions
  readonly signal: AbortSignal
  readonly found: FoundIds
}

type ReadStream = (context: ListedContext, reading: ScopeReading) => Promise<Ending>

const COMPLETE: Ending = { status: 'complete' }

/** The streams of a project that the service lists, its detail aside. */
export const LISTED_STREAMS = {
  tasks: (context, reading) => {
    const { client, pid } = context
    const batches = client.tasks.list.batches({ pid, type: 'all' }, callOptions(context, reading))
    return readBatches(batches, reading, (records) => addLinks(context, 'task', { kind: 'task', ...records }))
  },

  archived_tasks: async (context, reading) => {
    const { client, pid, options } = context
    const { archivedPageSize: pageSize, archivedPages } = options
    const store = archivedPages && failingAsSink(archivedPages)
    const walk = archivedTasks(client, { pid, pageSize, store, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (!next.done) {
        const { records, losses } = next.value
        await reading.write(addLinks(context, 'task', { kind: 'archived_task', records, losses }))
        continue
      }
      const { pages, read, drifted, isCut, reason = '' } = next.value
      reading.pages = pages
      reading.read = read
      const code = isCut ? POSSIBLY_CAPPED : 'DRIFTED'
      return drifted ? { status: 'drifted', error: { code, message: reason } } : COMPLETE
    }
  },

  pages: (context, reading) => {
    const batches = context.client.pages.list.batches({ pid: context.pid }, callOptions(context, reading))
    return readBatches(batches, reading, (records) => addLinks(context, 'page', { kind: 'page', ...records }))
  },

  events: async (context, reading) => {
    const { client, pid, options } = context
    const range = { from: options.eventsFrom, to: options.eventsTo }
    const [from, to] = [range.from.getTime(), range.to.getTime()]
    const walk = events(client, { pid, from, to, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (next.done) {
        reading.pages = next.value.windows
        return { status: 'complete', range }
      }
      const { records, losses } = next.value
      await reading.write(addLinks(context, 'event', { kind: 'event', records, losses }))
    }
  },

  webhooks: (context, reading) => {
    const { client, pid } = context
    return readWebhooks(client.webhooks.list.batches({ pid }, callOptions(context, reading)), reading)
  },
} satisfies Partial<Record<StreamName, ReadStream>>

/** Webhooks of a project, or personal ones. */
export function readWebhooks(
  batches: AsyncIterable<RecordBatch<RecordKinds['webhook']>>,
  reading: ScopeReading,
): Promise<Ending> {
  return readBatches(batches, reading, ({ records, losses }) => ({ kind: 'webhook', records, losses }))
}

/** A stream that is one request. */
async function readBatches<R>(
  batches: AsyncIterable<RecordBatch<R>>,
  reading: ScopeReading,
  toBatch: (batch: Pick<RecordBatch<R>, 'records' | 'losses'>) => StreamBatch,
): Promise<Ending> {
  reading.pages = 1
  for await (const { records, losses, restart } of batches) {
    if (restart) await reading.restart()
    await reading.write(toBatch({ records, losses }))
  }
  return COMPLETE
}

/** A store that fails ends the reading as a sink that fails does: it is no fault of the service. */
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
    goesOnFrom: (page) => store.goesOnFrom?.(page),
  }
}

function addLinks(context: ListedContext, source: string, batch: StreamBatch): StreamBatch {
  context.found.addLinks(batch, source)
  return batch
}

function callOptions({ signal }: ListedContext, { stats }: ScopeReading): CallOptions {
  return { signal, stats }
}
