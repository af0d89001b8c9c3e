/**
 * The rule of the archived walk, without any effect: what to ask for next, from what was seen so far.
 *
 * The service counts records off into pages each time it is asked. While one walks, records are added, taken away and
 * moved, and every record behind them slips to another page: it may come twice, or never. One reading cannot tell
 * (take a record away from a page already read, and the first one of the next page slips into it unseen). So:
 *
 * 1. A pass reads pages from the first one until two in a row are empty, or repeat the page before them (a service may
 *    answer each page beyond the end with the last one, or with the first). A short page ends nothing.
 * 2. The page on which the next record would stand is read once more, after all others were answered: that is a
 *    moment at which the number of records is known. Where pages beyond the end repeat one, it is a page far beyond.
 * 3. The next pass reads the pages again. Once every id of the pass before has been seen again, all of these existed
 *    at that moment; if no id stood on two of its pages they are as many as there were records: the walk is complete.
 * 4. Else that pass is the new attempt, and is held against the next one, up to the limit.
 *
 * This holds for any additions, removals and moves at any time, as long as a record that is taken away does not come
 * back during the walk. Reading the first page alone again would cost half as much and miss removals: not a price to pay
 * for a list by whose absences rows are marked deleted.
 */

/**
 * - `overlap`: a record stood on two pages of one pass
 * - `gap`: an empty page with a page that is not behind it
 * - `moved`: what one pass had read, the next did not find
 * - `no_progress`: pages went on and on with records of earlier ones
 */
export type DriftReason = 'overlap' | 'gap' | 'moved' | 'no_progress'

/** What a page shows, held against what was read before. */
export interface PageObservation {
  readonly length: number
  /** Ids that stood on no earlier page of this pass. */
  readonly fresh: number
  /** Ids that did. */
  readonly repeated: number
  /** Of the fresh ids, those that the pass before had as well. */
  readonly seenBefore: number
  /** Exactly the ids of the page taken before it in this pass, in the same order, and not none. */
  readonly sameAsLast: boolean
  /** Records of the whole list as the service states it. */
  readonly total?: number | null | undefined
}

interface FinishedPass {
  readonly pages: number
  readonly distinct: number
  readonly flaw: DriftReason | null
}

/** Where the walk stands. `page` and `size` are what to ask for. */
export interface PagePlan {
  readonly maxPasses: number
  readonly pass: number
  readonly page: number
  readonly size: number
  /** Records asked for on the first page. */
  readonly asked: number
  /** Whether a first page has shown what `size` the service gives. */
  readonly sized: boolean
  /** `check`: the one page that is read once more at the end of a pass. */
  readonly phase: 'pages' | 'check'
  /** Pages of this pass that held something, the last of them, and how many records that one held. */
  readonly pages: number
  readonly lastPage: number
  readonly lastLength: number
  readonly longest: number
  readonly distinct: number
  readonly seenBefore: number
  readonly flaw: DriftReason | null
  /** In a row: empty pages; pages with nothing new; pages that repeat the one before. */
  readonly empty: number
  readonly idle: number
  readonly same: number
  /** Whether pages beyond the end repeat a page, rather than being empty. */
  readonly repeats: boolean
  /** Whether the list is read in halves of its one page, to see whether the service heeds `page` at all. */
  readonly halved: boolean
  readonly before: FinishedPass | null
}

/** What to do after a page. */
export type PageStep =
  | { readonly kind: 'page'; readonly plan: PagePlan }
  | { readonly kind: 'end'; readonly pages: number; readonly drift: DriftReason | null }
  | { readonly kind: 'refuse'; readonly why: 'page_ignored' | 'page_limit' }

/** Far beyond any list; a service that makes up new records for ever must not be followed for ever. */
const MAX_PAGES = 1_000_000

/** Bulk archiving may shift a list by some pages; a list that repeats itself for longer than it was new does not end. */
const MAX_IDLE_PAGES = 10

/** One page like the one before may be a list that grew by exactly a page; three alike are the end, or a service that ignores `page`. */
const MAX_SAME_PAGES = 2

/** Pages behind the last one; no list grows by so many during one request. */
const FAR_BEYOND = 100_000

export function firstPage(options: { pageSize: number; maxRereads: number }): PagePlan {
  const { pageSize, maxRereads } = options
  return {
    ...newPass(1, null),
    maxPasses: 2 + maxRereads,
    size: pageSize,
    asked: pageSize,
    sized: false,
    halved: false,
  }
}

/** How many pages, `plan.page` among them, are worth asking for at once. */
export function pagesAhead(plan: PagePlan, lookahead: number): number {
  if (plan.phase === 'check' || plan.empty > 0 || plan.same > 0) return 1
  if (plan.before !== null) {
    return Math.min(lookahead, Math.max(1, plan.before.pages - plan.page + 1))
  }
  // After a short page the end is likely: the two empty pages that prove it.
  if (plan.lastLength < plan.size) return Math.min(lookahead, plan.page === 1 ? 1 : 2)
  // The first page alone, as most lists have no second one, and its length says what to ask the others for.
  return Math.min(lookahead, 2 ** Math.min(plan.page - 1, 30))
}

/** Decides what follows the page that `plan` asked for. */
export function nextPage(plan: PagePlan, seen: PageObservation): PageStep {
  if (plan.phase === 'check') return afterCheck(plan, seen)
  const now = count(plan, seen)
  if (isConfirmed(now)) return { kind: 'end', pages: Math.max(now.pages, plan.before?.pages ?? 0), drift: null }
  if (now.same >= MAX_SAME_PAGES) return afterRepeats(now, seen)
  if (now.idle > Math.max(MAX_IDLE_PAGES, now.pages)) return endPass({ ...now, flaw: 'no_progress' })
  if (now.empty >= 2) return endOfPages({ ...now, flaw: now.flaw ?? (now.idle > 0 ? 'overlap' : null) })
  if (now.page >= MAX_PAGES) return { kind: 'refuse', why: 'page_limit' }
  return { kind: 'page', plan: { ...now, page: now.page + 1 } }
}

function count(plan: PagePlan, seen: PageObservation): PagePlan {
  if (seen.length === 0) return { ...plan, empty: plan.empty + 1, same: 0 }
  const gap = plan.empty > 0 ? 'gap' : null
  // nothing new: a page beyond the end, unless one with something new follows
  if (seen.fresh === 0) {
    const same = seen.sameAsLast ? plan.same + 1 : 0
    return { ...plan, flaw: plan.flaw ?? gap, empty: 0, idle: plan.idle + 1, same }
  }
  const flaw = plan.flaw ?? gap ?? (plan.idle > 0 || seen.repeated > 0 ? 'overlap' : null)
  return {
    ...plan,
    // A first page shorter than asked for is the whole list or the server's cap. Asking for no more than that, the
    // pages fit together whether the service counts them off by the size it was asked for or by the size it gives.
    size: plan.page === 1 && !plan.sized ? Math.min(plan.size, seen.length) : plan.size,
    sized: plan.sized || plan.page === 1,
    pages: plan.pages + 1,
    lastPage: plan.page,
    lastLength: seen.length,
    longest: Math.max(plan.longest, seen.length),
    distinct: plan.distinct + seen.fresh,
    seenBefore: plan.seenBefore + seen.seenBefore,
    flaw,
    empty: 0,
    idle: 0,
    same: 0,
  }
}

function isConfirmed(plan: PagePlan): boolean {
  if (plan.before === null || plan.before.flaw !== null) return false
  return plan.seenBefore === plan.before.distinct
}

/** Three pages are alike: the last is repeated beyond the end, or `page` is ignored, which a second page rules out. */
function afterRepeats(plan: PagePlan, { total }: PageObservation): PageStep {
  const isWhole = total != null && total <= plan.distinct
  if (plan.pages > 1 || isWhole) return endOfPages({ ...plan, repeats: true })
  if (plan.halved || plan.size < 2) {
    // one record cannot be halved: it is the list where more were asked for
    const isSingle = plan.longest === 1 && plan.asked > 1
    return isSingle ? endOfPages({ ...plan, repeats: true }) : { kind: 'refuse', why: 'page_ignored' }
  }
  const again = { ...plan, ...newPass(plan.pass + 1, null), maxPasses: plan.maxPasses + 1 }
  return { kind: 'page', plan: { ...again, size: Math.ceil(plan.longest / 2), sized: true, halved: true } }
}

function endOfPages(plan: PagePlan): PageStep {
  if (plan.pages === 0) return { kind: 'end', pages: 0, drift: null }
  // The first pass asks for the first page alone: if that is all, the empty one after it has been the check.
  const checked = plan.pages === 1 && plan.before === null && !plan.repeats
  if (plan.flaw !== null || checked) return endPass(plan)
  if (plan.repeats) return { kind: 'page', plan: { ...plan, phase: 'check', page: plan.page + FAR_BEYOND } }
  const page = plan.lastLength < Math.max(plan.size, plan.longest) ? plan.lastPage : plan.lastPage + 1
  return { kind: 'page', plan: { ...plan, phase: 'check', page } }
}

function afterCheck(plan: PagePlan, seen: PageObservation): PageStep {
  const expected = plan.page === plan.lastPage ? plan.lastLength : 0
  const asBefore = seen.fresh === 0 && (plan.repeats ? seen.sameAsLast : seen.length === expected)
  return endPass(asBefore ? plan : { ...plan, flaw: 'moved' })
}

function endPass(plan: PagePlan): PageStep {
  const passesNeeded = plan.flaw === null ? 1 : 2
  if (plan.pass + passesNeeded > plan.maxPasses) {
    if (plan.flaw === 'no_progress') return { kind: 'refuse', why: 'page_ignored' }
    return { kind: 'end', pages: plan.pages, drift: plan.flaw ?? 'moved' }
  }
  const { pages, distinct, flaw } = plan
  return { kind: 'page', plan: { ...plan, ...newPass(plan.pass + 1, { pages, distinct, flaw }) } }
}

function newPass(pass: number, before: FinishedPass | null) {
  return {
    pass,
    page: 1,
    phase: 'pages' as const,
    pages: 0,
    lastPage: 0,
    lastLength: 0,
    longest: 0,
    distinct: 0,
    seenBefore: 0,
    flaw: null,
    empty: 0,
    idle: 0,
    same: 0,
    repeats: false,
    before,
  }
}
