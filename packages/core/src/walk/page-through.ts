import type { ConversionIssue, PageStore } from '@collab-etl/contract/streams'
import { WalkError } from '../errors/collab-error.ts'
import { Checkpoint } from './checkpoint.ts'
import { type Answer, elementCount } from './collect.ts'
import { cutAt } from './cut.ts'
import { testEnd } from './list-end.ts'
import { type DriftReason, firstPage, nextPage, type PageStep, pagesAhead } from './page-plan.ts'
import { type FetchPage, PageReader } from './page-reader.ts'
import { PageTracker } from './page-tracker.ts'

/** Records of one page that were not emitted before, or have changed since: the later version counts. */
export interface PageOf<R> {
  /** 1 for the first page. */
  readonly page: number
  /** 1 for the first reading of the list. */
  readonly pass: number
  readonly records: readonly R[]
  readonly losses: readonly ConversionIssue[]
}

export interface PagingEnd {
  /** Pages with records. */
  readonly pages: number
  /** Distinct records emitted. */
  readonly read: number
  /** Whether records kept moving until the limit of readings: some may be missing. */
  readonly drifted: boolean
  /** Why it is `drifted`, for a person. */
  readonly reason?: string
  /** The service states more records than it returns: some are missing, even if the list did not change. */
  readonly isCut?: true
  /** The list ends with a full page, and the service refused the page that shows whether it is the last one. */
  readonly isUntested?: true
}

export interface PageThroughOptions<R> {
  /** Requests a page, 1 for the first. */
  readonly fetch: FetchPage<Answer<R>>
  /** Requests a page; errors are thrown even beyond the end. Default: an end between two pages is not tested. */
  readonly ask?: FetchPage<Answer<R>> | undefined
  /** Number that the service gives the first page; stored with the pages of `store`. Default 1. */
  readonly base?: 0 | 1 | undefined
  readonly idOf: (record: R) => string
  /** Name of the list, for messages. */
  readonly what: string
  readonly pageSize: number
  readonly lookahead: number
  readonly maxRereads: number
  /** Checkpoint of the first reading. */
  readonly store?: PageStore | undefined
  /** Called when a reading ended because pages repeated one. */
  readonly onRepeats?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Pages through a list by the rule of `page-plan.ts`; an interrupted reading resumes by that of `checkpoint.ts`. */
export async function* pageThrough<R extends object>(
  options: PageThroughOptions<R>,
): AsyncGenerator<PageOf<R>, PagingEnd, undefined> {
  const { what, lookahead } = options
  const tracker = new PageTracker(options.idOf)
  const reader = new PageReader(options.fetch, options.signal)
  const checkpoint = new Checkpoint<R>(options.store, options.base ?? 1)
  // a growing list had fewer records when it was confirmed
  let total = Infinity
  let strange = 0
  try {
    let plan = await checkpoint.resume(firstPage(options), tracker)
    for (;;) {
      const { pass, page, size } = plan
      const taken = await reader.take(page, size, pagesAhead(plan, lookahead))
      // after a page with records, null is the empty page beyond the end: some services never send []
      const isBeyond = tracker.emitted > 0 && taken.records.length === 0
      const answer = isBeyond ? { ...taken, losses: taken.losses.filter(({ kind }) => kind !== 'null_list') } : taken
      const { ids, observation, records, losses } = tracker.enter(pass, answer)
      total = Math.min(total, answer.total ?? Infinity)
      // elements that are not records count in the stated length
      if (pass === 1) strange += elementCount(answer) - answer.records.length
      const step: PageStep = nextPage(plan, observation)
      if (step.kind === 'page' && step.plan.repeats) options.onRepeats?.()
      await checkpoint.add(plan, ids, step)
      if (records.length + losses.length > 0) yield { page, pass, records, losses }
      if (step.kind === 'refuse') throw refusal(step.why, what, page)
      if (step.kind === 'end') {
        const read = tracker.emitted
        const found = end(step.pages, read, step.drift, total - strange)
        const isFull = read % plan.size === 0 && (step.pages > 1 || read === plan.asked)
        if (found.drifted || total !== Infinity || options.ask === undefined || read === 0 || !isFull) return found
        const test = { read, size: plan.size, ask: options.ask, signal: options.signal }
        const shown = await testEnd(test, (record: R) => tracker.has(options.idOf(record)))
        if (shown === 'cut') return { ...found, drifted: true, isCut: true, reason: cutAt(read) }
        return shown === 'untested' ? { ...found, isUntested: true } : found
      }
      if (step.plan.pass !== pass || step.plan.phase !== plan.phase) reader.discard()
      plan = step.plan
    }
  } finally {
    await reader.close()
  }
}

const REASONS: Record<DriftReason, string> = {
  overlap: 'records were on two pages of one reading',
  gap: 'an empty page was before one with records',
  moved: 'records of one reading were not found again by the next',
  no_progress: 'page after page had only records of earlier ones',
}

function end(pages: number, read: number, drift: DriftReason | null, total: number): PagingEnd {
  if (drift === null && (total === Infinity || total <= read)) return { pages, read, drifted: false }
  if (drift === null) return { pages, read, drifted: true, isCut: true, reason: cutAt(read, total) }
  return { pages, read, drifted: true, reason: `records kept moving between pages: ${REASONS[drift]}` }
}

function refusal(why: 'page_ignored' | 'page_limit', what: string, page: number): WalkError {
  const seen =
    why === 'page_ignored'
      ? 'the service answers page after page with the same records, as if it ignored the page number'
      : 'the list does not end'
  return new WalkError(why, `${what}: ${seen} (stopped at page ${page}); some records may not have been read`)
}
