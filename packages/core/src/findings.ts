import { PagingFinding } from './walk/find-paging.ts'

/** Something found out about the service that the API page does not say, for the log. */
export interface Finding {
  readonly operation: string
  readonly message: string
  /** Whether the service departs from the API page. */
  readonly isDeparture: boolean
}

/** What reading finds out about the service of a client; shared by everything that is read with it. */
export class ServiceFindings {
  readonly archivedPaging: PagingFinding
  readonly #onFinding: (finding: Finding) => void
  readonly #told = new Set<string>()

  constructor(onFinding: (finding: Finding) => void) {
    this.#onFinding = onFinding
    this.archivedPaging = new PagingFinding(({ base, size }) => {
      const message = `pages of archived tasks start at page=${base} and are read ${size} at a time`
      this.tell({ operation: 'tasks.archived.list', message, isDeparture: base === 0 })
    })
  }

  /** Passes a finding on, once. */
  tell(finding: Finding): void {
    if (this.#told.has(finding.message)) return
    this.#told.add(finding.message)
    this.#onFinding(finding)
  }
}
