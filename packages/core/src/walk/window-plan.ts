/**
 * The rule of the walk over events, as pure functions: which window to request next.
 *
 * A window covers the milliseconds `first` to `last`, and requests one more on either side. Each millisecond of the range
 * is then strictly inside a requested window, and no two windows cover the same one. So it does not matter whether the
 * service treats `start` and `end` as inclusive or exclusive, nor whether it selects by an event's start or its whole
 * duration: all events that touch the range are found, and neighbouring windows share their boundary milliseconds.
 */

/** The service accepts 13-digit milliseconds only (docs/dev/service-api.md#ranges-of-time). */
export const EARLIEST = 1_000_000_000_000
export const LATEST = 9_999_999_999_999

const DAY = 86_400_000

/** Five requests for the default eighteen years if there are few events; a year of a busy calendar is some megabytes. */
const FIRST_WIDTH = 366 * DAY
const WIDEST = 10 * FIRST_WIDTH

/** Desired number of events of a window: enough to be worth a request, few enough to be kept in memory and retried. */
const SPARSE = 500
const DENSE = 2_000
const AIM = 1_000

/** A window with more events is aborted and split; one of a single millisecond is read with any number. */
export const OVERFULL = 10_000

/** A refused width is halved this often in a row, then reduced faster: otherwise a service that refuses everything gets 35 requests. */
const HALVINGS = 4

/** Answers before a width beyond a refused one is tried again; doubled when it is refused again. */
const MOST_PATIENCE = 64

/** Separate unread parts of one range that are recorded; the last of them includes everything after it. */
const MOST_UNREAD = 10

/** Where an answer is searched for if the first millisecond fails and no window was answered yet, as fractions of the range. */
const PLACES = [3 / 4, 7 / 8, 1 / 2]

/** Steps after a failing millisecond grow by this factor: a year takes some twenty requests. */
const STEP_GROWTH = 4

/** The end of an unread part is found to this fraction of its length. */
const PRECISION = 1_024

/** Width of the first window after an unread part that is not longer than this. */
const RESTART_WIDTH = 60_000

/** A part of the range that could not be read; both milliseconds inclusive. */
export interface UnreadRange {
  readonly first: number
  readonly last: number
}

/** A part of the range, both milliseconds inclusive, that is not split further although its answer may be cut. */
export interface CappedRange extends UnreadRange {
  /** Records of its answer, or of the answers of its windows. */
  readonly count: number
  /** Whether the service states that it has more. */
  readonly isShort: boolean
}

/** How the walk passes a failing millisecond; `at` is the only millisecond of the next window. */
type Skip =
  /** No window was answered yet: other places show whether the service answers at all. */
  | { readonly kind: 'elsewhere'; readonly at: number; readonly others: readonly number[] }
  /** A millisecond that was answered before shows whether the service still answers. */
  | { readonly kind: 'alive'; readonly at: number }
  /** Searches for an answer after the millisecond; everything before `low` counts as unread. */
  | { readonly kind: 'leap'; readonly at: number; readonly low: number; readonly step: number }
  /** Searches for the place where answers begin again: from `low` to `high`, or directly after. */
  | { readonly kind: 'approach'; readonly at: number; readonly low: number; readonly high: number }

/** State of the walk; all in milliseconds. */
export interface WindowPlan {
  readonly from: number
  readonly to: number
  /** The first millisecond that is not covered. */
  readonly first: number
  /** Milliseconds that the next window covers. */
  readonly width: number
  /** Whether that is wider than the last answered window. */
  readonly widened: boolean
  /** Refusals in a row. */
  readonly refusals: number
  readonly patience: number
  /** Answers before widening. */
  readonly wait: number
  /** The window is one millisecond, to check whether the service answers at all; the width to continue with if it does. */
  readonly probing: number | null
  /** Widest window, in milliseconds. */
  readonly widest: number
  /** Maximum number of records of an answer, if known. */
  readonly cap: number | null
  /** The first of these is a single millisecond. */
  readonly capped: readonly CappedRange[]
  /** Windows of this width are no longer split, once a single millisecond may be cut. */
  readonly finest: number
  /** A millisecond that was answered; `null`: none. */
  readonly good: number | null
  /** Whether the window of one millisecond at `first` has failed. */
  readonly hasFailed: boolean
  readonly skip: Skip | null
  readonly unread: readonly UnreadRange[]
}

export interface Window {
  /** Covered milliseconds, both inclusive. */
  readonly first: number
  readonly last: number
  /** Requested milliseconds. */
  readonly start: number
  readonly end: number
}

interface Answered {
  readonly kind: 'answered'
  readonly count: number
  /** Whether the answer may be cut: then narrower windows are requested as well. */
  readonly isDoubtful: boolean
  /** Whether the service states that the range has more records. */
  readonly isShort: boolean
  /** Whether it had records that no earlier answer had. */
  readonly hasNews: boolean
}

export type WindowObservation =
  | Answered
  /** The service refuses such a range. */
  | { readonly kind: 'refused' }
  /** The service, or a gateway before it, failed, and retries did not cure it. */
  | { readonly kind: 'failed' }
  /** More than `OVERFULL` events. */
  | { readonly kind: 'overfull' }

/** `fail`: the service does not answer any request, or no longer does. */
export type WindowStep =
  | { readonly kind: 'window'; readonly plan: WindowPlan }
  | { readonly kind: 'end'; readonly capped: readonly CappedRange[]; readonly unread: readonly UnreadRange[] }
  | { readonly kind: 'fail' }

/**
 * Both inclusive.
 * @param longest longest range to request, in milliseconds
 */
export function firstWindow(from: number, to: number, longest = Infinity): WindowPlan {
  // a window requests one more millisecond on either side
  const widest = Math.min(WIDEST, Math.max(1, longest - 1))
  const start = {
    widened: false,
    refusals: 0,
    patience: 1,
    wait: 0,
    probing: null,
    cap: null,
    capped: [],
    finest: DAY,
    good: null,
    hasFailed: false,
    skip: null,
    unread: [],
  }
  return { ...start, from, to, first: from, width: Math.min(FIRST_WIDTH, widest), widest }
}

/** The window to request. It does not exceed the limits of what the service accepts. */
export function windowOf({ first: next, width, to, skip }: WindowPlan): Window {
  const first = skip?.at ?? next
  const last = skip?.at ?? Math.min(first + width - 1, to)
  return { first, last, start: Math.max(first - 1, EARLIEST), end: Math.min(last + 1, LATEST) }
}

/** Retries of a window while the end of a failing part is searched for: each of some fifty windows may fail. */
const SEARCH_RETRIES = 1

/** How often the window of `plan` may be repeated if it fails; `undefined`: as often as any request. */
export function retriesOf(plan: WindowPlan): number | undefined {
  const { skip, probing, refusals, hasFailed } = plan
  if (skip !== null) return skip.kind === 'leap' || skip.kind === 'approach' ? SEARCH_RETRIES : undefined
  // one failure does not decide about a millisecond
  return refusals === 0 || probing !== null || hasFailed ? undefined : SEARCH_RETRIES
}

export function planWindow(plan: WindowPlan, seen: WindowObservation): WindowStep {
  if (plan.skip !== null) return planSkip(plan, plan.skip, seen)
  const { first, last } = windowOf(plan)
  const span = last - first + 1
  if (seen.kind === 'answered') {
    // records that are cut on one millisecond may be cut on each millisecond of a long event: not all of them are requested
    const isFirst = plan.capped.length === 0
    const finest = isFirst ? DAY : nextFinest(plan, seen)
    const { count, isDoubtful, isShort } = seen
    if (isDoubtful && span > (isFirst ? 1 : finest)) return narrower({ ...plan, finest }, span)
    const capped = isDoubtful ? withRange(plan.capped, { first, last, count, isShort }) : plan.capped
    if (last >= plan.to) return { kind: 'end', capped, unread: plan.unread }
    const answered = { ...plan, first: last + 1, capped, finest, good: last, hasFailed: false }
    if (plan.probing !== null) return { kind: 'window', plan: { ...answered, width: plan.probing, probing: null } }
    return { kind: 'window', plan: { ...answered, ...afterAnswer(plan, seen), refusals: 0 } }
  }
  if (span === 1) return planNarrowest(plan)
  if (seen.kind === 'overfull') return narrower(plan, span)
  const patience = plan.widened ? Math.min(plan.patience * 2, MOST_PATIENCE) : plan.patience
  const refusals = plan.refusals + 1
  const width = part(span, divisor(plan.refusals))
  const refused = { ...plan, widened: false, refusals, patience, wait: patience }
  // Each failure costs all retries: the narrowest window shows whether narrower ones are worth requesting.
  if (seen.kind === 'failed' && plan.refusals === 0 && !plan.widened)
    return { kind: 'window', plan: { ...refused, width: 1, probing: width } }
  return { kind: 'window', plan: { ...refused, width } }
}

/** A single millisecond fails: it is requested twice, and skipped if the service answers another one. */
function planNarrowest(plan: WindowPlan): WindowStep {
  const { first, to, good, hasFailed } = plan
  const failed = { ...plan, hasFailed: true, refusals: plan.refusals + 1 }
  if (good === null) {
    const places = new Set(PLACES.map((part) => first + Math.floor((to - first) * part)).filter((at) => at > first))
    return elsewhere(failed, [...places])
  }
  return windowAt(failed, hasFailed ? { kind: 'alive', at: good } : null)
}

function planSkip(plan: WindowPlan, skip: Skip, { kind }: WindowObservation): WindowStep {
  const fails = kind === 'refused' || kind === 'failed'
  switch (skip.kind) {
    case 'elsewhere':
      if (!fails) return windowAt({ ...plan, good: skip.at }, null)
      // each failure costs all retries
      return kind === 'failed' ? { kind: 'fail' } : elsewhere(plan, skip.others)
    case 'alive':
      if (fails) return { kind: 'fail' }
      return plan.unread.length + 1 < MOST_UNREAD ? leap(plan, plan.first, 1) : endUnread(plan)
    case 'leap':
      return fails ? leap(plan, skip.at, skip.step * STEP_GROWTH) : approach(plan, skip.low, skip.at - 1)
    case 'approach':
      return fails ? approach(plan, skip.at + 1, skip.high) : approach(plan, skip.low, skip.at - 1)
  }
}

function windowAt(plan: WindowPlan, skip: Skip | null): WindowStep {
  return { kind: 'window', plan: { ...plan, skip } }
}

function elsewhere(plan: WindowPlan, [at, ...others]: readonly number[]): WindowStep {
  return at === undefined ? { kind: 'fail' } : windowAt(plan, { kind: 'elsewhere', at, others })
}

function leap(plan: WindowPlan, failed: number, step: number): WindowStep {
  if (failed >= plan.to) return endUnread(plan)
  return windowAt(plan, { kind: 'leap', at: Math.min(failed + step, plan.to), low: failed + 1, step })
}

function approach(plan: WindowPlan, low: number, high: number): WindowStep {
  const { first } = plan
  if ((high - low + 1) * PRECISION > low - first) {
    return windowAt(plan, { kind: 'approach', at: low + Math.floor((high - low) / 2), low, high })
  }
  const unread = [...plan.unread, { first, last: high }]
  const width = Math.min(Math.max(high - first + 1, RESTART_WIDTH), plan.widest)
  const calm = { refusals: 0, hasFailed: false, patience: 1, wait: 0, widened: false, probing: null }
  return windowAt({ ...plan, ...calm, unread, first: high + 1, width }, null)
}

/** The rest of the range is unread. */
function endUnread({ first, to: last, unread, capped }: WindowPlan): WindowStep {
  return { kind: 'end', capped, unread: [...unread, { first, last }] }
}

/** Adds a range, or extends the last one of the same kind: windows follow one another. */
function withRange(ranges: readonly CappedRange[], range: CappedRange): CappedRange[] {
  const before = ranges.at(-1)
  const follows = before?.last === range.first - 1 && before.count === range.count && before.isShort === range.isShort
  return follows ? [...ranges.slice(0, -1), { ...range, first: before.first }] : [...ranges, range]
}

/** Doubtful windows of any width without new records: the same records are in all of them. */
function nextFinest({ finest, widest }: WindowPlan, { isDoubtful, hasNews }: Answered) {
  if (!isDoubtful) return finest
  return hasNews ? Math.max(DAY, Math.floor(finest / 2)) : Math.min(finest * 2, widest)
}

function narrower(plan: WindowPlan, span: number): WindowStep {
  return { kind: 'window', plan: { ...plan, width: part(span, 2), widened: false } }
}

function afterAnswer(plan: WindowPlan, { count, isDoubtful }: Answered) {
  const patience = plan.widened ? Math.max(1, Math.floor(plan.patience / 2)) : plan.patience
  const { width, widest, cap } = plan
  if (isDoubtful) return { patience, wait: plan.wait, width: Math.min(width * 2, plan.finest, widest), widened: false }
  // well below a cap, so that few answers reach it
  const [sparse, dense, aim] = cap === null ? [SPARSE, DENSE, AIM] : [cap / 4, (cap * 3) / 4, cap / 2]
  if (count > dense) return { patience, wait: plan.wait, width: part(width, count / aim), widened: false }
  if (count >= sparse || width >= widest) return { patience, wait: plan.wait, width, widened: false }
  if (plan.wait > 0) return { patience, wait: plan.wait - 1, width, widened: false }
  return { patience, wait: 0, width: Math.min(width * 2, widest), widened: true }
}

/** 2, 2, 2, 2, then 4, 16, 256, 65,536. */
function divisor(refusals: number): number {
  return refusals < HALVINGS ? 2 : 2 ** Math.min(2 ** (refusals - HALVINGS + 1), 32)
}

function part(span: number, divisor: number): number {
  return Math.max(1, Math.floor(span / divisor))
}
