import { type ListLength, whyCut } from './walk/cut.ts'
import { PagingFinding } from './walk/find-paging.ts'
import { RangeFinding } from './walk/range-finding.ts'

/** Something found out about the service that the API page does not say, for the log. */
export interface Finding {
  readonly operation: string
  readonly message: string
  /** Whether the service departs from the API page. */
  readonly isDeparture: boolean
}

/** The operation of each list that comes in one answer. */
const OPERATIONS_OF = {
  projects: 'projects.list',
  tasks: 'tasks.list',
  pages: 'pages.list',
  webhooks: 'webhooks.list',
  post_comments: 'posts.comments.list',
  file_comments: 'files.comments.list',
} as const

/** Lengths of the longest lists that were read whole before; 0 where none is known. */
export type EarlierLists = Readonly<Record<keyof typeof OPERATIONS_OF, number>>

/** What reading finds out about the service of a client; shared by everything that is read with it. */
export class ServiceFindings {
  readonly archivedPaging: PagingFinding
  readonly events: RangeFinding
  readonly #onFinding: (finding: Finding) => void
  readonly #told = new Set<string>()
  readonly #longest = new Map<string, number>()

  constructor(onFinding: (finding: Finding) => void) {
    this.#onFinding = onFinding
    this.archivedPaging = new PagingFinding(({ base, size }) => {
      const message = `pages of archived tasks start at page=${base} and are read ${size} at a time`
      this.tell({ operation: 'tasks.archived.list', message, isDeparture: base === 0 })
    })
    const ofEvents = (message: string) => this.tell({ operation: 'events.list', message, isDeparture: true })
    this.events = new RangeFinding(
      (widest) => ofEvents(`wide ranges of time hold fewer events than there are: windows of ${days(widest)} are read`),
      (cap) => ofEvents(`answers hold ${cap} events at most: ranges that hold more are read in parts`),
    )
  }

  /** The longest list that an operation gave; 0 where none is known. */
  longestList(operation: string): number {
    return this.#longest.get(operation) ?? 0
  }

  /** Notes the length of a whole list, read now or in an earlier run. */
  noteList(operation: string, length: number): void {
    this.#longest.set(operation, Math.max(length, this.longestList(operation)))
  }

  /** Why a list that came in one answer may be cut; `null` where it may not: then its length is noted. */
  judgeList(operation: string, list: Pick<ListLength, 'count' | 'total' | 'evidence'>): string | null {
    const why = whyCut({ ...list, longest: this.longestList(operation) })
    if (why === null) this.noteList(operation, list.count)
    return why
  }

  /** Notes the longest whole lists of earlier runs. */
  noteEarlierLists(lists: EarlierLists): void {
    for (const [list, operation] of Object.entries(OPERATIONS_OF)) {
      this.noteList(operation, lists[list as keyof EarlierLists]) // its keys are those of the table
    }
  }

  /** Passes a finding on, once. */
  tell(finding: Finding): void {
    if (this.#told.has(finding.message)) return
    this.#told.add(finding.message)
    this.#onFinding(finding)
  }
}

function days(milliseconds: number): string {
  const count = milliseconds / 86_400_000
  return count === 1 ? 'one day' : `${count} days`
}
