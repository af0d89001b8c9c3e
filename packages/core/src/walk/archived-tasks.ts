import type { BareTask, Received } from '@collab-etl/contract'
import type { KnownRecords, PageStore } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { CallOptions } from '../operations/results.ts'
import type { Unchanged } from '../read/unchanged.ts'
import { collect } from './collect.ts'
import { findPaging, type PagingFinding } from './find-paging.ts'
import { type AskListPage, endingByError, isRefusal } from './list-end.ts'
import { type PageOf, type PageThroughOptions, type PagingEnd, pageThrough } from './page-through.ts'

export interface ArchivedTasksOptions extends CallOptions {
  readonly pid: string
  /** Tasks requested per page; the service may return fewer. Default 100: some 150 KB, which is quickly retried. */
  readonly pageSize?: number | undefined
  /** Pages requested ahead, at most. Default 4: half of the client's default concurrency. */
  readonly lookahead?: number | undefined
  /** How often the list is read again, after the reading that confirms the first, before it ends as `drifted`. Default 3. */
  readonly maxRereads?: number | undefined
  /** Checkpoint: pages of the first reading, so that an interrupted reading can resume. Default: none. */
  readonly store?: PageStore | undefined
}

/**
 * Pages through all archived tasks of a project (docs/dev/service-api.md#operation-2). The list ends at an empty page, or at what
 * a service sends beyond its end instead: the last page again, or an error. A short page does not end it. How the service
 * numbers pages is found out once for each client (`paging-plan.ts`). If tasks move between pages meanwhile, the list is read
 * again. A task is emitted once, and again only if it has changed. Every page is read twice: only that shows a removal
 * (`page-plan.ts`). The returned value says whether the result is complete: unless `drifted`, every task that was archived all
 * the time was emitted.
 *
 * With a `store`, pages of an interrupted reading are not read a first time again.
 * @throws WalkError if the service ignores `page`; errors of the client
 * @example
 * for await (const { records } of archivedTasks(client, { pid })) store(records)
 */
export function archivedTasks(
  client: Client,
  options: ArchivedTasksOptions,
): AsyncGenerator<PageOf<Received<typeof BareTask>>, PagingEnd, undefined>
/** @param known recognises tasks by their bytes, which are not parsed then */
export function archivedTasks(
  client: Client,
  options: ArchivedTasksOptions,
  known: KnownRecords | null,
): AsyncGenerator<PageOf<ArchivedTask>, PagingEnd, undefined>
export function archivedTasks(
  client: Client,
  { pid, pageSize = 100, lookahead = 4, maxRereads = 3, store, signal, stats }: ArchivedTasksOptions,
  known: KnownRecords | null = null,
): AsyncGenerator<PageOf<ArchivedTask>, PagingEnd, undefined> {
  atLeast(1, { pageSize, lookahead })
  atLeast(0, { maxRereads })
  const { findings } = client
  const departs = (message: string) => {
    findings.report({ operation: 'tasks.archived.list', message, isDeparture: true })
  }
  return pageThroughList<ArchivedTask>({
    what: `archived tasks of project ${pid}`,
    pageSize,
    lookahead,
    maxRereads,
    store,
    signal,
    idOf: (task) => task.tid,
    ask: (page, size, signal, retries) => {
      const retriesFor = (error: unknown) => (isRefusal(error) ? retries : undefined)
      const how = { signal, stats, retriesFor }
      return collect(client.tasks.archived.list.batchesBeside(known, { pid, page, size }, how))
    },
    finding: findings.archivedPaging,
    onErrorAtEnd: (code) => departs(`pages beyond the end of a list of archived tasks are answered with error ${code}`),
    onRepeatsAtEnd: () => departs('pages beyond the end of a list of archived tasks repeat a page of it'),
  })
}

type ArchivedTask = Received<typeof BareTask> | Unchanged<Received<typeof BareTask>>

function atLeast(least: number, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`archivedTasks: ${name} must be a whole number of at least ${least}, not ${value}`)
    }
  }
}

export interface PagedListOptions<R> extends Omit<PageThroughOptions<R>, 'fetch' | 'ask' | 'base' | 'onRepeats'> {
  /** Requests a page by the service's own number. */
  readonly ask: AskListPage<R>
  readonly finding: PagingFinding
  /** Called with the code of an error that means the end of the list. */
  readonly onErrorAtEnd?: ((code: string) => void) | undefined
  /** Called when pages beyond the end repeat a page. */
  readonly onRepeatsAtEnd?: (() => void) | undefined
}

/** Pages through a list, adapting to how the service numbers pages and answers beyond the last one. */
export async function* pageThroughList<R extends object>(
  options: PagedListOptions<R>,
): AsyncGenerator<PageOf<R>, PagingEnd, undefined> {
  const { ask, finding, onErrorAtEnd, onRepeatsAtEnd, ...walk } = options
  const { signal = new AbortController().signal, idOf, pageSize } = walk
  const { base, size, first } = await findPaging(finding, {
    ask: (page, asked, retries) => ask(page, asked, signal, retries),
    idOf,
    pageSize,
  })
  const list: AskListPage<R> = (page, asked, stop, retries) => ask(page - 1 + base, asked, stop, retries)
  const pages = endingByError(list, onErrorAtEnd)
  let unused = first
  return yield* pageThrough<R>({
    ...walk,
    fetch: async (page, asked, stop) => {
      const taken = page === 1 && asked === size ? unused : undefined
      unused = undefined
      return taken === undefined ? await pages(page, asked, stop) : pages.note(page, asked, taken)
    },
    ask: list,
    base,
    pageSize: size,
    onRepeats: onRepeatsAtEnd,
  })
}
