import {
  type PageStore,
  POSSIBLY_CAPPED,
  type RecordKinds,
  type StreamBatch,
  type StreamName,
} from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { parted, type Unchanged, withLinks } from '../read/unchanged.ts'
import { archivedTasksBeside } from '../walk/archived-tasks.ts'
import { eventsBeside } from '../walk/events.ts'
import { textsOf } from './batch-records.ts'
import type { IdQueues } from './id-queues.ts'
import { type Attachments, addAttachments, attachmentsOfTask } from './item-sources.ts'
import { mayHoldLinks } from './links.ts'
import { PageParents, readList } from './read-list.ts'
import type { ResolvedOptions } from './read-options.ts'
import { type Ending, type ScopeReading, SinkFailure } from './scope-reading.ts'
import { cutChecklists, readTaskParts, type SeenTasks } from './task-parts.ts'
import { endingOfRanges } from './unread-items.ts'

/** Context of reading a listed stream. */
export interface ListedContext {
  readonly client: Client
  readonly pid: string
  readonly options: ResolvedOptions
  readonly signal: AbortSignal
  readonly found: IdQueues
  readonly busy: BusyTimes
  /** The tasks that the list of tasks holds. */
  readonly seenTasks: SeenTasks
}

type ReadStream = (context: ListedContext, reading: ScopeReading) => Promise<Ending>

/** A record of a kind, or the placeholder of one that was not parsed. */
type MaybeUnchanged<K extends keyof RecordKinds> = RecordKinds[K] | Unchanged<RecordKinds[K]>

type ListedBatch = Extract<StreamBatch, { kind: 'task' | 'archived_task' | 'page' | 'event' }>

/** The streams of a project that the service lists, without its detail. */
export const LISTED_STREAMS = {
  tasks: async (context, reading) => {
    const { client, pid, signal, seenTasks: seen } = context
    const toBatch = ({ records, losses }: Pick<RecordBatch<MaybeUnchanged<'task'>>, 'records' | 'losses'>) =>
      addLinks(context, 'task', { kind: 'task', ...parted(records), losses: [...losses, ...cutChecklists(records)] })
    const stored = await reading.storedBytes()
    return readList<MaybeUnchanged<'task'>>(
      {
        ...{ signal, toBatch, observer: seen },
        batches: (options) => client.tasks.list.batchesBeside(stored, { pid, type: 'all' }, options),
        confirm: (count) => readTaskParts(context, { seen, count, toBatch }, reading),
      },
      reading,
    )
  },

  archived_tasks: async (context, reading) => {
    const { client, pid, options } = context
    const { archivedPageSize: pageSize, archivedPages } = options
    const store = archivedPages && failingAsSink(archivedPages)
    const stored = await reading.storedBytes()
    const walk = archivedTasksBeside(client, stored, { pid, pageSize, store, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (!next.done) {
        const { records, losses } = next.value
        const whole = [...losses, ...cutChecklists(records)]
        await reading.write(addLinks(context, 'task', { kind: 'archived_task', ...parted(records), losses: whole }))
        continue
      }
      const { pages, read, drifted, isCut, isUntested, reason = '' } = next.value
      reading.pages = pages
      reading.read = read
      const code = isCut ? POSSIBLY_CAPPED : 'DRIFTED'
      if (drifted) return { status: 'drifted', error: { code, message: reason } }
      return { status: 'complete', ...(isUntested && { suspicious: { length: read } }) }
    }
  },

  pages: async (context, reading) => {
    const { client, pid, signal } = context
    const stored = await reading.storedBytes()
    const parents = new PageParents()
    return readList<MaybeUnchanged<'page'>>(
      {
        ...{ signal, observer: parents, unlisted: () => parents.unlisted() },
        batches: (options) => client.pages.list.batchesBeside(stored, { pid }, options),
        toBatch: ({ records, losses }) => addLinks(context, 'page', { kind: 'page', ...parted(records), losses }),
      },
      reading,
    )
  },

  events: async (context, reading) => {
    const { client, pid, options, busy } = context
    const range = { from: options.eventsFrom, to: options.eventsTo }
    const [from, to] = [range.from.getTime(), range.to.getTime()]
    const known = { widest: options.eventsWindow, stored: options.storedEvents, busyTimes: () => busy.times() }
    const stored = await reading.storedBytes()
    const walk = eventsBeside(client, stored, { pid, from, to, ...known, ...callOptions(context, reading) })
    for (;;) {
      const next = await walk.next()
      if (next.done) {
        const { windows, capped, beyond, unread } = next.value
        reading.pages = windows
        const ending = endingOfRanges(unread, capped)
        return { ...ending, range, ...(beyond.length > 0 && { beyond }) }
      }
      const { records, losses } = next.value
      await reading.write(addLinks(context, 'event', { kind: 'event', ...parted(records), losses }))
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
      signal,
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

/** @param batch its unchanged records are instances of `Unchanged` */
function addLinks(context: ListedContext, source: string, batch: ListedBatch): StreamBatch {
  const received = [...(batch.received ?? [])]
  for (const [index, [, ...texts]] of textsOf(batch).entries()) {
    const hasLinks = texts.some((text) => typeof text === 'string' && mayHoldLinks(text, context.options.linkPatterns))
    const [record, bytes] = [batch.records[index], received[index]]
    if (record === undefined || bytes === undefined) continue
    if (hasLinks || attachmentsOf(batch, record) !== null) received[index] = withLinks(bytes)
  }
  const parsed = withParsedLinks(batch)
  context.found.addLinks(parsed, source)
  for (const record of parsed.records) {
    const attachments = attachmentsOf(batch, record)
    if (attachments !== null) addAttachments([attachments], context.found, 'attachment')
  }
  context.busy.note(batch)
  return { ...batch, received }
}

function attachmentsOf({ kind }: ListedBatch, record: object): Attachments | null {
  return kind === 'task' || kind === 'archived_task' ? attachmentsOfTask(record) : null
}

/** Parses the unchanged records whose texts may contain links or that have attachments, so that a batch discovers the same ids in the same order. */
function withParsedLinks(batch: ListedBatch): StreamBatch {
  const linking =
    (batch.unchanged as readonly Unchanged<object>[] | undefined)?.filter(({ hasLinks }) => hasLinks) ?? []
  if (linking.length === 0) return batch
  const records: object[] = [...batch.records]
  for (const unchanged of linking.toReversed()) records.splice(unchanged.before, 0, unchanged.parse())
  return { ...batch, records } as StreamBatch // of the same kind
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
  /** The latest time of unchanged records, as text: times in the same form compare as texts. */
  #latestText = ''
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
    for (const { updated_at: updated } of batch.unchanged ?? []) {
      if (updated > this.#latestText) this.#latestText = updated
    }
  }

  /** The month after the last change, the month of it, and months before, once the other streams have been read. */
  async times(): Promise<number[]> {
    await this.#others
    const latest = this.#latestText === '' ? this.#latest : Math.max(this.#latest, Date.parse(this.#latestText))
    if (!Number.isFinite(latest)) return []
    return Array.from({ length: STEPS }, (_, step) => latest + (1 - step) * STEP)
  }
}
