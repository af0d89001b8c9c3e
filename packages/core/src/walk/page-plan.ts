/**
 * The rule of paging through archived tasks, as pure functions: what to request next, given the pages so far.
 *
 * The service divides the records into pages for each request. While a list is read, records are added, removed and moved,
 * and every record after them shifts to another page: it may be returned twice, or never. One reading cannot detect this
 * (if a record of a page that was read already is removed, the first one of the next page shifts into it unseen). So:
 *
 * 1. A pass reads pages from the first one until two in a row are empty, or repeat the page before them (a service may
 *    answer each page beyond the end with the last one, or with the first). A short page does not end it.
 * 2. The page of the next record is read once more, after all others were answered: at that moment the number of records
 *    is known. If pages beyond the end repeat one, a page far beyond the end is read instead.
 * 3. The next pass reads the pages again. Once every id of the previous pass has been seen again, all of them existed
 *    at that moment; if no id was on two of its pages, they are as many as there were records: the list is complete.
 * 4. Otherwise that pass is the new attempt, and is compared with the next one, up to the limit.
 *
 * This holds for any additions, removals and moves at any time, as long as a removed record does not return
 * during the reading. Reading only the first page again would cost half as much and miss removals, which is not acceptable for a
 * list whose missing records are marked deleted.
 */

/**
 * - `overlap`: a record was on two pages of one pass
 * - `gap`: an empty page before one with records
 * - `moved`: records of one pass were missing in the next
 * - `no_progress`: page after page had only records of earlier ones
 */
export type DriftReason = 'overlap' | 'gap' | 'moved' | 'no_progress'

/** A page, compared with what was read before. */
export interface PageObservation {
  readonly length: number
  /** Ids that were on no earlier page of this pass. */
  readonly fresh: number
  /** Ids that were. */
  readonly repeated: number
  /** Of the fresh ids, those that the previous pass had too. */
  readonly seenBefore: number
  /** The same ids as the previous page of this pass, in the same order, and at least one. */
  readonly sameAsLast: boolean
  /** Records of the whole list as the service states it. */
  readonly total?: number | null | undefined
}

interface FinishedPass {
  readonly pages: number
  readonly distinct: number
  readonly flaw: DriftReason | null
}

/** State of the reading. `page` and `size` are to be requested next. */
export interface PagePlan {
  readonly maxPasses: number
  readonly pass: number
  readonly page: number
  readonly size: number
  /** Records requested for the first page. */
  readonly asked: number
  /** Whether a first page has shown which `size` the service returns. */
  readonly sized: boolean
  /** `check`: the one page that is read once more at the end of a pass. */
  readonly phase: 'pages' | 'check'
  /** Pages of this pass with records, the last of them, and its number of records. */
  readonly pages: number
  readonly lastPage: number
  readonly lastLength: number
  readonly longest: number
  readonly distinct: number
  readonly seenBefore: number
  readonly flaw: DriftReason | null
  /** In a row: empty pages; pages without new records; pages that repeat the previous one. */
  readonly empty: number
  readonly idle: number
  readonly same: number
  /** Whether pages beyond the end repeat a page, rather than being empty. */
  readonly repeats: boolean
  /** Whether the list is read in halves of its one page, to check whether the service respects `page` at all. */
  readonly halved: boolean
  readonly before: FinishedPass | null
}

export type PageStep =
  | { readonly kind: 'page'; readonly plan: PagePlan }
  | { readonly kind: 'end'; readonly pages: number; readonly drift: DriftReason | null }
  | { readonly kind: 'refuse'; readonly why: 'page_ignored' | 'page_limit' }

/** Far beyond any list: a service that invents new records forever must not keep the reading running. */
const MAX_PAGES = 1_000_000

/** Bulk archiving may shift a list by some pages; a list that repeats itself for longer than that does not end. */
const MAX_IDLE_PAGES = 10

/** One page equal to the previous one may be a list that grew by exactly a page; three equal ones are the end, or a service that ignores `page`. */
const MAX_SAME_PAGES = 2

/** Pages after the last one; no list grows by this many during one request. */
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

/** How many pages, including `plan.page`, to request at once. */
export function pagesAhead(plan: PagePlan, lookahead: number): number {
  if (plan.phase === 'check' || plan.empty > 0 || plan.same > 0) return 1
  if (plan.before !== null) {
    return Math.min(lookahead, Math.max(1, plan.before.pages - plan.page + 1))
  }
  // After a short page the end is likely: request the two empty pages that prove it.
  if (plan.lastLength < plan.size) return Math.min(lookahead, plan.page === 1 ? 1 : 2)
  // Only the first page: most lists have no second one, and its length decides the size of the others.
  return Math.min(lookahead, 2 ** Math.min(plan.page - 1, 30))
}

/** Decides what follows the page that `plan` requested. */
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
  // nothing new: a page beyond the end, unless one with new records follows
  if (seen.fresh === 0) {
    const same = seen.sameAsLast ? plan.same + 1 : 0
    return { ...plan, flaw: plan.flaw ?? gap, empty: 0, idle: plan.idle + 1, same }
  }
  const flaw = plan.flaw ?? gap ?? (plan.idle > 0 || seen.repeated > 0 ? 'overlap' : null)
  return {
    ...plan,
    // A first page that is shorter than requested is the whole list or has the server's cap. With that size, the pages
    // are consistent whether the service numbers them by the requested size or by the size it returns.
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

/** Three pages are equal: the last one is repeated beyond the end, or `page` is ignored, which a second page rules out. */
function afterRepeats(plan: PagePlan, { total }: PageObservation): PageStep {
  const isWhole = total != null && total <= plan.distinct
  if (plan.pages > 1 || isWhole) return endOfPages({ ...plan, repeats: true })
  if (plan.halved || plan.size < 2) {
    // one record cannot be halved: it is the whole list if more were requested
    const isSingle = plan.longest === 1 && plan.asked > 1
    return isSingle ? endOfPages({ ...plan, repeats: true }) : { kind: 'refuse', why: 'page_ignored' }
  }
  const again = { ...plan, ...newPass(plan.pass + 1, null), maxPasses: plan.maxPasses + 1 }
  return { kind: 'page', plan: { ...again, size: Math.ceil(plan.longest / 2), sized: true, halved: true } }
}

function endOfPages(plan: PagePlan): PageStep {
  if (plan.pages === 0) return { kind: 'end', pages: 0, drift: null }
  // The first pass requests the first page alone: if there is no other, the empty page after it was the check.
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
