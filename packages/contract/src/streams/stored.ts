/** A page of the first reading of a list: the ids alone, in the order received, each as often as it came. */
export interface StoredPage {
  /** 1 for the first page. */
  readonly page: number
  /** How many records were requested. */
  readonly size: number
  /** Number that the service gives the first page. */
  readonly base: 0 | 1
  readonly ids: readonly string[]
}

/** A checkpoint: keeps the pages of the first reading of a list, so that an interrupted reading can resume. */
export interface PageStore {
  /** The pages of earlier, interrupted readings: from page 1, in order, without a gap. */
  pages(): AsyncIterable<StoredPage>
  /** Stores the next page and discards stored pages of the same or a higher number. The reader waits for it. */
  save(page: StoredPage): Promise<void>
  /** Called before the first page that is not stored is requested; not called if none is stored. */
  onResume?(page: number): void
}

/** An event that an earlier run stored. */
export interface StoredEvent {
  readonly eventId: string
  /** As text that `Date.parse` reads. */
  readonly startsAt: string
}
