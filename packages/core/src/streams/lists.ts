import { isAskableId } from '@collab-etl/contract/id'
import { type PageStore, POSSIBLY_CAPPED, type RecordKinds, type StreamName } from '@collab-etl/contract/streams'
import type { FirstRecords } from '../capabilities/try-records.ts'
import type { Client } from '../client.ts'
import { AccountError } from '../errors/account-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import type { RecordBatch } from '../operations/results.ts'
import { parted } from '../read/unchanged.ts'
import { archivedTasks } from '../walk/archived-tasks.ts'
import { type Answer, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import { events } from '../walk/events.ts'
import type { DueTasks } from './due-task-comments.ts'
import { readEventsById } from './events-by-id.ts'
import type { IdQueues } from './id-queues.ts'
import { type BusyTimes, type MaybeUnchanged, noteIds } from './ids-in-lists.ts'
import { PageParents, type Unlisted } from './page-parents.ts'
import type { EventsRange, ResolvedOptions } from './read-options.ts'
import { type Ending, type ScopeReading, SinkFailure } from './scope-reading.ts'
import { type Confirmation, cutChecklists, readTaskParts, type SeenTasks } from './task-parts.ts'
import { endingOfPages, endingOfRanges } from './unread-items.ts'

/** Context of reading the lists of a project. */
export interface ListContext {
  readonly client: Client
  readonly pid: string
  readonly options: ResolvedOptions
  readonly signal: AbortSignal
  readonly found: IdQueues
  readonly busy: BusyTimes
  readonly firstRecords: FirstRecords
  /** The tasks that the list of tasks holds. */
  readonly seenTasks: SeenTasks
  /** The tasks whose comments are to be read; `null`: those of none. */
  readonly dueTasks: DueTasks | null
}

type ReadList = (context: ListContext, reading: ScopeReading) => Promise<Ending>

/**
 * How each list of a project is read, what shows whether it is complete, and which posts and files it names. Posts and files themselves
 * are read by `queue-reader.ts`, comments of tasks by `task-comments.ts`.
 */
export const LISTS = {
  /** In one answer. If its length is suspicious, it is read again in two parts. Texts and attachments name posts and files. */
  tasks: async (context, reading) => {
    const { client, pid, signal, seenTasks, dueTasks } = context
    const { stats } = reading
    const stored = await reading.knownRecords()
    const write = ({ records, losses: sent }: Answer<MaybeUnchanged<'task'>>) => {
      dueTasks?.see(records)
      const losses = [...sent, ...cutChecklists(records)]
      return reading.write(noteIds(context, { kind: 'task', ...parted(records), losses }))
    }
    return readWhole(reading, {
      batches: client.tasks.list.batchesBeside(stored, { pid, type: 'all' }, { signal, stats }),
      write,
      observer: seenTasks,
      confirm: (count) => readTaskParts(context, { stats, count, seen: seenTasks, write }),
    })
  },

  /** In one answer, if the service offers it. They name nothing. */
  members: ({ client, pid, signal }, reading) =>
    readWhole<RecordKinds['member']>(reading, {
      batches: client.projects.members.list.batches({ pid }, { signal, stats: reading.stats }),
      write: ({ records, losses }) => reading.write({ kind: 'member', records, losses }),
    }),

  /** In one answer, if the service offers it. They name nothing. */
  entries: ({ client, pid, signal }, reading) =>
    readWhole<RecordKinds['entry']>(reading, {
      batches: client.entries.list.batches({ pid }, { signal, stats: reading.stats }),
      write: ({ records, losses }) => reading.write({ kind: 'entry', records, losses }),
    }),

  /**
   * By page, each page twice. Two empty pages end the list; after a full last page, a page of another size tests that end. Texts and
   * attachments name posts and files.
   */
  archived_tasks: async (context, reading) => {
    const { client, pid, signal, options } = context
    const { archivedPageSize: pageSize, archivedPages } = options
    const store = archivedPages && failingAsSink(archivedPages)
    const how = { pid, pageSize, store, signal, stats: reading.stats }
    const walk = archivedTasks(client, how, await reading.knownRecords())
    const end = await drain(walk, ({ records, losses: sent }) => {
      context.dueTasks?.see(records)
      const losses = [...sent, ...cutChecklists(records)]
      return reading.write(noteIds(context, { kind: 'archived_task', ...parted(records), losses }))
    })
    reading.pages = end.pages
    reading.read = end.read
    return endingOfPages(end)
  },

  /** In one answer. If its length is suspicious, a parent that is not in the list is evidence that pages are missing. Texts name posts and files. */
  pages: async (context, reading) => {
    const { client, pid, signal } = context
    const stored = await reading.knownRecords()
    const parents = new PageParents()
    return readWhole(reading, {
      batches: client.pages.list.batchesBeside(stored, { pid }, { signal, stats: reading.stats }),
      write: ({ records, losses }: Answer<MaybeUnchanged<'page'>>) =>
        reading.write(noteIds(context, { kind: 'page', ...parted(records), losses })),
      observer: parents,
      unlisted: () => parents.unlisted(),
    })
  },

  /** By range of time. Narrower ranges show whether an answer is cut or wide ranges omit events. Texts name posts and files. */
  events: async (context, reading) => {
    const { client, pid, signal, options, busy } = context
    const range = { from: options.eventsFrom, to: options.eventsTo }
    const how = {
      pid,
      signal,
      stats: reading.stats,
      from: range.from.getTime(),
      to: range.to.getTime(),
      widest: options.eventsWindow,
      stored: options.storedEvents,
      busyTimes: () => busy.times(),
    }
    const walk = events(client, how, await reading.knownRecords())
    const end = await drain(walk, ({ records, losses }) =>
      reading.write(noteIds(context, { kind: 'event', ...parted(records), losses })),
    )
    reading.pages = end.windows
    return await withEventsById(context, reading, { ...endingOfRanges(end), range })
  },

  /** In one answer. They name nothing. */
  webhooks: async (context, reading) => {
    const { client, pid, signal, options } = context
    const ending = await readWhole<RecordKinds['webhook']>(reading, {
      batches: client.webhooks.list.batches({ pid }, { signal, stats: reading.stats }),
      write: ({ records, losses }) => reading.write({ kind: 'webhook', records, losses }),
    })
    if (reading.read > 0 || client.accounts.names.length < 2 || options.hasWebhooks === undefined) return ending
    const hasStored = await options.hasWebhooks().catch((cause: unknown) => {
      throw new SinkFailure(cause)
    })
    if (hasStored) await requireStillSeen(context, reading)
    return ending
  },
} satisfies Partial<Record<StreamName, ReadList>>

/**
 * Completes a reading of events by those outside its range, and those moved out of it, which are asked for one by one. Only a complete
 * reading: others may not mark any event deleted.
 */
async function withEventsById(
  context: ListContext,
  reading: ScopeReading,
  ending: Ending & { readonly range: EventsRange },
): Promise<Ending> {
  const { range, beyond = [], status } = ending
  if (status !== 'complete') return ending
  const outside = await (context.options.eventsToConfirm?.(range) ?? Promise.resolve([])).catch((cause: unknown) => {
    throw new SinkFailure(cause)
  })
  const answers = await readEventsById(context, reading, [...new Set([...beyond, ...outside])].filter(isAskableId))
  if (answers === null) return ending
  const { existing, gone, records, losses } = answers
  await reading.write(noteIds(context, { kind: 'event', records, losses }))
  const answered = new Set([...existing, ...gone])
  return { ...ending, beyond: beyond.filter((id) => !answered.has(id)), byId: { existing, gone } }
}

/** The service answers with an empty list of webhooks to an account that has lost access to the project. @throws AccountError if it has */
async function requireStillSeen({ client, pid, signal }: ListContext, { stats }: ScopeReading): Promise<void> {
  const account = client.accounts.answererOf('webhooks.list', pid)
  if (account === undefined) return
  try {
    await client.projects.get({ pid }, { signal, stats, account })
  } catch (error) {
    if (!isNotFound(error)) throw error
    throw new AccountError(account, 'it lost access to the project before its webhooks were read', error)
  }
}

/** A list that is sent in one answer. */
interface WholeList<R> {
  readonly batches: AsyncIterable<RecordBatch<R>>
  readonly write: (records: Answer<R>) => Promise<void>
  /** Sees each record; `restart` discards all: the list is read again. */
  readonly observer?: { see(records: readonly R[]): void; restart(): void }
  /** What the records name and the list lacks, known at its end. */
  readonly unlisted?: () => readonly Unlisted[]
  /** Tests whether a list of suspicious length is complete; may emit more records. */
  readonly confirm?: (count: number) => Promise<Confirmation>
}

/** Reads a list that is sent in one answer. If it is cut, the scope ends as `drifted`. */
async function readWhole<R>(reading: ScopeReading, list: WholeList<R>): Promise<Ending> {
  const { observer } = list
  let count = 0
  let total: number | null = null
  reading.pages = 1
  for await (const batch of list.batches) {
    if (batch.restart) {
      count = 0
      observer?.restart()
      await reading.restart()
    }
    total = batch.total
    count += elementCount(batch)
    observer?.see(batch.records)
    await list.write(batch)
  }
  // if the service states the length, records that are not in the list do not exist
  const unlisted = total === null ? (list.unlisted?.() ?? []) : []
  if (unlisted.length > 0) await list.write({ records: [], losses: unlisted.map(({ loss }) => loss) })
  const verdict = judgeLength({ count, total })
  if (verdict === 'cut') return capped(cutAt(count, total ?? count))
  if (verdict !== 'suspicious') return { status: 'complete' }
  const shown = await list.confirm?.(count)
  if (shown === 'whole') return { status: 'complete' }
  if (shown === 'cut') return capped(cutAt(count))
  return { status: 'complete', suspicious: { length: count, named: unlisted.map(({ id }) => id) } }
}

function capped(message: string): Ending {
  return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } }
}

/** Writes all that a walk yields, and returns how it ended. */
async function drain<A, E>(walk: AsyncGenerator<A, E>, write: (answer: A) => Promise<void>): Promise<E> {
  for (;;) {
    const next = await walk.next()
    if (next.done) return next.value
    await write(next.value)
  }
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
