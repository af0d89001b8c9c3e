import type { ScopeStatus, StreamName } from '@collab-etl/core'

interface Word {
  status: ScopeStatus
  records: number
}

/** What the runs before have said of each scope, as far as it decides how many rows may go. */
export class ModelLedger {
  /** Of the run that goes on. */
  #own = new Map<string, Word>()
  readonly #refused = new Set<string>()
  readonly #lastRead = new Map<string, number>()

  /** A scope that is read again within a run adds to what was said. */
  add(pid: string | null, stream: StreamName, status: ScopeStatus, records: number): void {
    const place = placeOf(pid, stream)
    const said = this.#own.get(place)
    this.#own.set(place, {
      status: said === undefined || said.status === 'complete' ? status : said.status,
      records: (said?.records ?? 0) + records,
    })
  }

  endRun(): void {
    for (const [place, { status, records }] of this.#own) {
      if (status === 'complete') this.#lastRead.set(place, records)
      if (status === 'complete') this.#refused.delete(place)
      if (status === 'refused') this.#refused.add(place)
    }
    this.#own = new Map()
  }

  rowsThatCount(pid: string | null, stream: StreamName, live: number): number {
    const place = placeOf(pid, stream)
    return this.#refused.has(place) ? Math.min(live, this.#lastRead.get(place) ?? 0) : live
  }
}

function placeOf(pid: string | null, stream: StreamName): string {
  return `${stream} ${pid ?? ''}`
}
