import type { EarlierLists, ListName, StoredList } from '@collab-etl/contract/streams'
import { type ListLength, whyCut } from './walk/cut.ts'
import { PagingFinding } from './walk/find-paging.ts'
import { RangeFinding } from './walk/range-finding.ts'

/** An observation about the service that its documentation does not state, for the log. */
export interface Finding {
  readonly operation: string
  readonly message: string
  /** Whether the service departs from its documented interface. */
  readonly isDeparture: boolean
}

/** The operation of each list that is sent in one answer. */
const OPERATIONS_OF = {
  projects: 'projects.list',
  tasks: 'tasks.list',
  pages: 'pages.list',
  webhooks: 'webhooks.list',
  post_comments: 'posts.comments.list',
  file_comments: 'files.comments.list',
} as const satisfies Record<ListName, string>

/** What a list belongs to: a project (`null`: none), and a post or a file for a list of comments. */
export type ListOwner = Pick<StoredList, 'pid' | 'id'>

/** Findings about the service of a client, shared by everything that is read with it. */
export class ServiceFindings {
  readonly archivedPaging: PagingFinding
  readonly events: RangeFinding
  readonly #onFinding: (finding: Finding) => void
  readonly #reported = new Set<string>()
  readonly #longest = new Map<string, number>()
  readonly #stored = new Map<string, number>()

  constructor(eventsWindow: number | undefined, onFinding: (finding: Finding) => void) {
    this.#onFinding = onFinding
    this.archivedPaging = new PagingFinding(({ base, size }) => {
      const message = `pages of archived tasks start at page=${base} and are read ${size} at a time`
      this.report({ operation: 'tasks.archived.list', message, isDeparture: base === 0 })
    })
    const ofEvents = (message: string) => this.report({ operation: 'events.list', message, isDeparture: true })
    this.events = new RangeFinding(
      eventsWindow,
      (widest) => ofEvents(`long ranges omit events: no range longer than ${days(widest)} is requested from now on`),
      (cap) => ofEvents(`an answer holds at most ${cap} events: ranges that hold more are read in parts`),
    )
  }

  /** Length of the longest list of an operation; 0 if none is known. */
  longestList(operation: string): number {
    return this.#longest.get(operation) ?? 0
  }

  /** Records the length of a list of this or an earlier run. */
  noteList(operation: string, length: number): void {
    this.#longest.set(operation, Math.max(length, this.longestList(operation)))
  }

  /**
   * Evidence in the warehouse that a list is cut, as a clause; `null`: none. A service that sent longer lists before may
   * have begun to cut them, and rows must not be deleted because of that.
   */
  storedEvidence(operation: string, { pid, id }: ListOwner, count: number): string | null {
    const stored = this.#stored.get(keyOf(operation, pid, id)) ?? 0
    return stored > count ? `${stored} are stored` : null
  }

  /** Why a list that was sent in one answer may be cut; `null` if it is complete. Its length is recorded. */
  judgeList(operation: string, owner: ListOwner, list: Pick<ListLength, 'count' | 'total'>): string | null {
    const evidence = this.storedEvidence(operation, owner, list.count)
    const why = whyCut({ ...list, evidence, longest: this.longestList(operation) })
    this.noteList(operation, list.count)
    return why
  }

  /** Records the longest complete lists of earlier runs. */
  noteEarlierLists(lists: EarlierLists): void {
    for (const [list, operation] of Object.entries(OPERATIONS_OF)) {
      this.noteList(operation, lists[list as ListName]) // its keys are those of the table
    }
    for (const { list, pid, id, length } of lists.stored ?? []) {
      this.#stored.set(keyOf(OPERATIONS_OF[list], pid, id), length)
    }
  }

  /** Emits a finding, once. */
  report(finding: Finding): void {
    if (this.#reported.has(finding.message)) return
    this.#reported.add(finding.message)
    this.#onFinding(finding)
  }
}

function keyOf(operation: string, pid: string | null, id: string | null): string {
  return JSON.stringify([operation, pid, id])
}

function days(milliseconds: number): string {
  const count = milliseconds / 86_400_000
  return count === 1 ? 'one day' : `${count} days`
}
