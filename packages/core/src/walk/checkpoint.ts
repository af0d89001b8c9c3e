import type { PageStore } from '@collab-etl/contract/streams'
import { nextPage, type PagePlan, type PageStep } from './page-plan.ts'
import type { PageTracker } from './page-tracker.ts'

/**
 * Resumes an interrupted reading, and stores the pages of this one.
 *
 * Stored are the ids of the pages of the first reading. A resumed reading counts them as read and emits nothing of them. The
 * proof of `page-plan.ts` does not depend on when they were read, only on that it was before the check; and neither the end
 * of the list nor the check nor any later reading is stored. So a resumed reading vouches only for what it has read
 * itself: the reading that confirms the first one sees and emits every record.
 */
export class Checkpoint<R extends object> {
  readonly #store: PageStore | undefined
  readonly #base: 0 | 1
  /** Number of stored pages, from the first one. */
  #count = 0

  /** @param base number of the first page at the service; pages stored with another one are not used */
  constructor(store: PageStore | undefined, base: 0 | 1) {
    this.#store = store
    this.#base = base
  }

  /** Returns the plan for the first page that is not stored. */
  async resume(first: PagePlan, tracker: PageTracker<R>): Promise<PagePlan> {
    let plan = first
    if (this.#store === undefined) return plan
    for await (const { page, size, base, ids } of this.#store.pages()) {
      // requested with other parameters then, so its pages differ
      if (page !== plan.page || size !== plan.size || base !== this.#base || ids.length === 0) break
      const step = nextPage(plan, tracker.recall(plan.pass, ids))
      if (!isFurther(plan, step)) break
      plan = step.plan
      this.#count = page
    }
    if (this.#count > 0) this.#store.onResume?.(plan.page)
    return plan
  }

  /** Stores the page that `plan` requested, if all pages before it are stored and another one follows. */
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
