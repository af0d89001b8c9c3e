import type { BareTask, Received } from '@collab-etl/contract'
import type { Client } from '../client.ts'
import type { CallOptions } from '../operations/results.ts'
import { collect } from './collect.ts'
import type { PageStore } from './page-store.ts'
import { type PageOf, type WalkEnd, walkPages } from './walk-pages.ts'

/** Options of the walk over archived tasks. */
export interface ArchivedTasksOptions extends CallOptions {
  readonly pid: string
  /** Tasks asked for per page; the service may give fewer. Default 100: some 150 KB, quickly retried. */
  readonly pageSize?: number | undefined
  /** Pages under way or waiting to be taken, at most. Default 4: half of the client's default concurrency. */
  readonly lookahead?: number | undefined
  /** How often the list is read again, after the reading that confirms the first, before it ends as drifted. Default 3. */
  readonly maxRewalks?: number | undefined
  /** Keeps pages of the first reading, so that a walk that is broken off need not begin anew. Default: none. */
  readonly store?: PageStore | undefined
}

/**
 * All archived tasks of a project (API page, operation 2), as they are read page by page. Only empty pages end the
 * list: short ones do not. Tasks that move between pages meanwhile are noticed, and the list is read again; a task is
 * handed on once, and again only if it has changed. Every page is read twice: only that shows a removal (`page-plan.ts`). The value returned says whether the walk is to be relied upon.
 *
 * With a `store`, what it kept of a walk that was broken off is not read a first time again.
 *
 * Unless `drifted`, every task that was archived all the time was handed on. Throws a `WalkError` where the service
 * ignores `page`, and what the client throws.
 */
export async function* archivedTasks(
  client: Client,
  options: ArchivedTasksOptions,
): AsyncGenerator<PageOf<Received<typeof BareTask>>, WalkEnd, undefined> {
  const { pid, pageSize = 100, lookahead = 4, maxRewalks = 3, stats } = options
  atLeast(1, { pageSize, lookahead })
  atLeast(0, { maxRewalks })
  return yield* walkPages<Received<typeof BareTask>>({
    what: `archived tasks of project ${pid}`,
    idOf: (task) => task.tid,
    fetch: (page, size, signal) => collect(client.tasks.archived.list.batches({ pid, page, size }, { signal, stats })),
    signal: options.signal,
    pageSize,
    lookahead,
    maxRewalks,
    store: options.store,
  })
}

function atLeast(least: number, values: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new RangeError(`archivedTasks: ${name} must be a whole number of at least ${least}, not ${value}`)
    }
  }
}
