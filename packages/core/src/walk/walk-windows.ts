import { type ConversionIssue, isOfList } from '@collab-etl/contract/streams'
import { type Answer, elementCount, latestOf } from './collect.ts'
import { CapFinding } from './range-finding.ts'
import {
  type CappedRange,
  firstWindow,
  OVERFULL,
  planWindow,
  retriesOf,
  type UnreadRange,
  type Window,
  type WindowObservation,
  type WindowStep,
  windowOf,
} from './window-plan.ts'

/** Records of one window that no earlier window had. */
export interface WindowOf<R> {
  /** The milliseconds that it covers, both inclusive. */
  readonly first: number
  readonly last: number
  readonly records: readonly R[]
  readonly losses: readonly ConversionIssue[]
}

/** How a walk over windows ended: always at the end of its range. */
export interface WindowsEnd {
  /** Windows that were answered. */
  readonly windows: number
  /** Distinct records emitted. */
  readonly read: number
  /** Parts of the range whose answers may be cut, although the first of them is a single millisecond. */
  readonly capped: readonly (CappedRange & { readonly isCut: boolean })[]
  /** Parts of the range that the service does not answer, and its error. */
  readonly unread: readonly (UnreadRange & { readonly error: unknown })[]
}

export interface WalkWindowsOptions<R> {
  readonly from: number
  readonly to: number
  /** Requests a window, with up to `retries` retries; `null` if it has more than `limit` records. */
  readonly fetch: (window: Window, limit: number, retries: number | undefined) => Promise<Answer<R> | null>
  /** Whether a narrower window may cure an error. */
  readonly isRefusal: (error: unknown) => boolean
  /** Whether such an error is a failure that is independent of the window. Default: no. */
  readonly isFailure?: (error: unknown) => boolean
  readonly keyOf: (record: R) => string
  /** Whether a record belongs to the range: windows request a little more. */
  readonly belongs: (record: R) => boolean
  /** Widest window, in milliseconds. */
  readonly widest?: number | undefined
  /** The cap of answers, as far as it is known; shared by all walks over one list. */
  readonly caps?: CapFinding | undefined
  /** Keys of records that were emitted before; new ones are added. */
  readonly seen?: Set<string> | undefined
}

/** A range whose answer may be cut, while its parts are requested. */
interface Test {
  readonly last: number
  readonly count: number
  /** Distinct records known before its parts were requested. */
  readonly known: number
  /** Unread parts of the range that were known then. */
  readonly unread: number
}

/** How often the range is walked again: a cap that is found late puts earlier answers in doubt. */
const MOST_WALKS = 3

type Result<R> =
  | { readonly answer: Answer<R> }
  | { readonly error: unknown; readonly kind: 'refused' | 'failed' }
  | { readonly overfull: true }

/** Walks a range of time by the rule of `window-plan.ts`. */
export async function* walkWindows<R extends object>(
  options: WalkWindowsOptions<R>,
): AsyncGenerator<WindowOf<R>, WindowsEnd, undefined> {
  const { from, to, widest, caps = new CapFinding(), seen = new Set<string>() } = options
  let windows = 0
  let walks = 1
  let test: Test | null = null
  // lengths of answers that were considered complete
  let taken = new Set<number>()
  let errors: unknown[] = []
  let lastError: unknown = null
  let plan = { ...firstWindow(from, to, widest), cap: caps.cap }
  for (;;) {
    const window = windowOf(plan)
    const result = await ask(window, retriesOf(plan), options)
    if ('error' in result) lastError = result.error
    let seenNow: WindowObservation = { kind: 'error' in result ? result.kind : 'overfull' }
    if ('answer' in result) {
      windows += 1
      const before = seen.size
      const news = select(result.answer, seen, options)
      if (news.records.length + news.losses.length > 0) yield { first: window.first, last: window.last, ...news }
      const { total } = result.answer
      const count = elementCount(result.answer)
      const isDoubtful = caps.see(count, total, window.first === window.last)
      if (!isDoubtful && total !== count) taken.add(count)
      if (isDoubtful && test === null) test = { last: window.last, count, known: seen.size, unread: errors.length }
      const isShort = (total ?? 0) > count
      seenNow = { kind: 'answered', count, isDoubtful, isShort, hasNews: seen.size > before }
    }
    const step = planWindow(plan, seenNow)
    const unread = unreadOf(step)
    if (unread.length > errors.length) errors.push(lastError)
    const isPast = step.kind !== 'window' || (test !== null && step.plan.first > test.last)
    if (test !== null && isPast) {
      // parts that are unread may hold more
      if (seen.size > test.known || errors.length === test.unread) caps.tested(test.count, seen.size > test.known)
      test = null
    }
    if (step.kind === 'window') plan = { ...step.plan, cap: caps.cap }
    else if (step.kind === 'fail')
      throw 'error' in result ? result.error : new Error('a window failed without an error')
    else if (caps.cap !== null && taken.has(caps.cap) && walks++ < MOST_WALKS) {
      taken = new Set()
      errors = []
      plan = { ...firstWindow(from, to, widest), cap: caps.cap, capped: step.capped }
    } else {
      const withError = unread.map((range, index) => ({ ...range, error: errors[index] }))
      const capped = step.capped.map((range) => ({ ...range, isCut: caps.isCut(range) }))
      return { windows, read: seen.size, capped, unread: withError }
    }
  }
}

function unreadOf(step: WindowStep): readonly UnreadRange[] {
  if (step.kind === 'fail') return []
  return step.kind === 'window' ? step.plan.unread : step.unread
}

async function ask<R>(
  window: Window,
  retries: number | undefined,
  { fetch, isRefusal, isFailure }: WalkWindowsOptions<R>,
): Promise<Result<R>> {
  try {
    const answer = await fetch(window, window.first === window.last ? Infinity : OVERFULL, retries)
    return answer === null ? { overfull: true } : { answer }
  } catch (error) {
    if (isRefusal(error)) return { error, kind: isFailure?.(error) === true ? 'failed' : 'refused' }
    throw error
  }
}

/** The records of an answer that belong to the range and were not emitted before. */
function select<R extends object>(answer: Answer<R>, seen: Set<string>, { keyOf, belongs }: WalkWindowsOptions<R>) {
  const { latest, losses } = latestOf(answer.records, keyOf)
  const news = new Map([...latest].filter(([key, record]) => !seen.has(key) && belongs(record)))
  for (const key of news.keys()) seen.add(key)
  const lost = [...answer.losses, ...losses].filter((loss) => isOfList(loss) || news.has(loss.recordKey))
  return { records: [...news.values()], losses: lost }
}
