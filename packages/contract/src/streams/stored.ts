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

/** A list that the service sends in one answer. */
export type ListName = 'projects' | 'tasks' | 'pages' | 'webhooks' | 'post_comments' | 'file_comments'

/** A list as it is stored: of a project, and of a post or a file where it holds comments. */
export interface StoredList {
  readonly list: ListName
  readonly pid: string | null
  readonly id: string | null
  /** Rows that are not deleted. */
  readonly length: number
}

/** Lengths of the longest lists that earlier runs read completely; 0 where none is known. */
export type EarlierLists = Readonly<Record<ListName, number>> & {
  /** Stored lists that are longer than the shortest typical cap. */
  readonly stored?: readonly StoredList[]
}

/** An event that an earlier run stored. */
export interface StoredEvent {
  readonly eventId: string
  /** As text that `Date.parse` reads. */
  readonly startsAt: string
}
