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
    const ofEvents = (message: string) => this.report({ operation: 'events.list', message, isDeparture: true })
    this.events = new RangeFinding(
      eventsWindow,
      (widest) => ofEvents(`long ranges omit events: no range longer than ${days(widest)} is requested from now on`),
      (cap) => ofEvents(`an answer holds at most ${cap} events: ranges that hold more are read in parts`),
    )
  }

  /** Emits a finding, once. */
  report(finding: Finding): void {
    if (this.#reported.has(finding.message)) return
    this.#reported.add(finding.message)
    this.#onFinding(finding)
  }
}

function days(milliseconds: number): string {
  const count = milliseconds / 86_400_000
  return count === 1 ? 'one day' : `${count} days`
}
