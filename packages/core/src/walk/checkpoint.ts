import type { PageStore } from '@collab-etl/contract/streams'
import { nextPage, type PagePlan, type PageStep } from './page-plan.ts'
import type { PageTracker } from './page-tracker.ts'

/**
 * Takes up a walk that was broken off, and keeps the pages of this one.
 *
 * Kept are the pages of the first reading, as ids. Taken up, they count as read, and nothing of them is handed on. The
 * proof of `page-plan.ts` does not ask when they were read, only that it was before the check; and neither the end of
 * the list nor the check nor any later reading is ever kept. So the walk that goes on answers for the list by what it
 * has read itself: the reading that confirms sees every record, and hands on what it sees.
 */
export class Checkpoint<R> {
  readonly #store: PageStore | undefined
  readonly #base: 0 | 1
  /** Pages kept, from the first one on. */
  #count = 0

  /** @param base number of the first page at the service; pages kept under another one are not used */
  constructor(store: PageStore | undefined, base: 0 | 1) {
    this.#store = store
    this.#base = base
  }

  /** Where the walk goes on. */
  async resume(first: PagePlan, ledger: PageTracker<R>): Promise<PagePlan> {
    let plan = first
    if (this.#store === undefined) return plan
    for await (const { page, size, base, ids } of this.#store.pages()) {
      // asked for otherwise then: its pages are others
      if (page !== plan.page || size !== plan.size || base !== this.#base || ids.length === 0) break
      const step = nextPage(plan, ledger.recall(plan.pass, ids))
      if (!isFurther(plan, step)) break
      plan = step.plan
      this.#count = page
    }
    if (this.#count > 0) this.#store.onResume?.(plan.page)
    return plan
  }

  /** Keeps the page that `plan` asked for, if the walk goes on behind it and all before it are kept. */
  async add(plan: PagePlan, ids: readonly string[], step: PageStep): Promise<void> {
    const { page, size } = plan
    if (this.#store === undefined || page !== this.#count + 1 || ids.length === 0 || !isFurther(plan, step)) return
    this.#count = page
    await this.#store.save({ page, size, base: this.#base, ids })
  }
}

/** Whether a page of the first reading is followed by the next one. */
function isFurther(plan: PagePlan, step: PageStep): step is Extract<PageStep, { kind: 'page' }> {
  return plan.pass === 1 && plan.phase === 'pages' && step.kind === 'page' && step.plan.page === plan.page + 1
}
