/** What a page of the first reading of a list held: the ids alone, in the order received, each as often as it came. */
export interface StoredPage {
  /** 1 for the first page. */
  readonly page: number
  /** How many records were asked for. */
  readonly size: number
  /** Number that the service gives the first page. */
  readonly base: 0 | 1
  readonly ids: readonly string[]
}

/** Keeps the pages of a walk's first reading, so that a later walk of the same list can go on where this one is broken off. */
export interface PageStore {
  /** What earlier walks that were broken off have left: from page 1 on, in order, without a gap. */
  pages(): AsyncIterable<StoredPage>
  /** Takes the next page; what it may hold of that page or of later ones counts no more. Awaiting it is the back-pressure. */
  save(page: StoredPage): Promise<void>
  /** Told before the first page is asked for that is not kept; not where none is. */
  goesOnFrom?(page: number): void
}
