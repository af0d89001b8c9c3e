import type { ScopeStatus, StreamName } from '@collab-etl/core'
import { TABLES } from '../../src/tables/index.ts'

interface Word {
  status: ScopeStatus
  records: number
}

/** What the runs before have said of each scope, as far as it decides how many rows may go. */
export class ModelLedger {
  /** Of the run that goes on. */
  #own = new Map<string, Word>()
  /** Scopes whose last run that stored rows of them could not mark any deleted. */
  readonly #unsettled = new Set<string>()
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
      if (status === 'failed' || status === 'skipped') continue
      if (status === 'refused') this.#refused.add(place)
      if (status === 'complete' && besides(place).every((each) => this.#own.get(each)?.status === 'complete')) {
        this.#lastRead.set(place, records)
        this.#unsettled.delete(place)
      } else {
        this.#unsettled.add(place)
      }
    }
    this.#own = new Map()
  }

  rowsThatCount(pid: string | null, stream: StreamName, live: number): number {
    const place = placeOf(pid, stream)
    if (!this.#unsettled.has(place)) return live
    return Math.min(live, this.#lastRead.get(place) ?? (this.#refused.has(place) ? 0 : live))
  }
}

function placeOf(pid: string | null, stream: StreamName): string {
  return `${stream} ${pid ?? ''}`
}

/** The scopes of a project that must be complete, all of them, before records of one are marked deleted. */
function besides(place: string): string[] {
  const [stream, pid] = place.split(' ')
  const table = TABLES.find(({ isRecord, streams }) => isRecord === true && streams.some((each) => each === stream))
  return (table?.streams ?? []).map((each) => `${each} ${pid}`)
}
