import { PagingFinding } from './walk/find-paging.ts'
import { RangeFinding } from './walk/range-finding.ts'

/** An observation about the service that its documentation does not state, for the log. */
export interface Finding {
  readonly operation: string
  readonly message: string
  /** Whether the service departs from its documented interface. */
  readonly isDeparture: boolean
}

/** Findings about the service of a client, shared by everything that is read with it. */
export class ServiceFindings {
  readonly archivedPaging: PagingFinding
  readonly events: RangeFinding
  readonly #onFinding: (finding: Finding) => void
  readonly #reported = new Set<string>()

  constructor(eventsWindow: number | undefined, onFinding: (finding: Finding) => void) {
    this.#onFinding = onFinding
    this.archivedPaging = new PagingFinding(({ base, size }) => {
      const message = `pages of archived tasks start at page=${base} and are read ${size} at a time`
      this.report({ operation: 'tasks.archived.list', message, isDeparture: base === 0 })
    })
    this.events = new RangeFinding(eventsWindow, (message) => {
      this.report({ operation: 'events.list', message, isDeparture: true })
    })
  }

  /** Emits a finding, once. */
  report(finding: Finding): void {
    if (this.#reported.has(finding.message)) return
    this.#reported.add(finding.message)
    this.#onFinding(finding)
  }
}
