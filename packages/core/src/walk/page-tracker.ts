import { type ConversionIssue, isOfList } from '@collab-etl/contract/streams'
import { type Answer, fingerprint, latestOf } from './collect.ts'
import type { PageObservation } from './page-plan.ts'

interface Sighting {
  /** The last pass in which it was seen. */
  pass: number
  /** Fingerprint of the emitted record. */
  content: number
}

/** New content of a page: records seen for the first time, or changed since they were emitted. */
export interface PageNews<R> {
  /** All ids of the page, in the order received. */
  readonly ids: readonly string[]
  readonly observation: PageObservation
  readonly records: R[]
  readonly losses: ConversionIssue[]
}

/** No content has this fingerprint. */
const NOT_EMITTED = -1

/**
 * Remembers which ids were seen, in which pass, and a fingerprint of each emitted record: some 150 bytes a record,
 * 30 MB for 200,000 of them.
 */
export class PageTracker<R extends object> {
  readonly #seen = new Map<string, Sighting>()
  readonly #idOf: (record: R) => string
  #last: readonly string[] = []
  #emitted = 0

  constructor(idOf: (record: R) => string) {
    this.#idOf = idOf
  }

  get emitted(): number {
    return this.#emitted
  }

  has(id: string): boolean {
    return this.#seen.has(id)
  }

  /** Adds a page of which only the ids are known: its records are emitted when they are seen again. */
  recall(pass: number, ids: readonly string[]): PageObservation {
    return this.#observe(pass, ids)
  }

  enter(pass: number, answer: Answer<R>): PageNews<R> {
    const ids = answer.records.map(this.#idOf)
    const observation = { ...this.#observe(pass, ids), total: answer.total }
    const { latest, losses } = latestOf(answer.records, this.#idOf)
    const news = new Map<string, R>()
    for (const [id, record] of latest) {
      const sighting = this.#seen.get(id)
      const content = fingerprint(record)
      if (sighting === undefined || sighting.content === content) continue
      if (sighting.content === NOT_EMITTED) this.#emitted += 1
      sighting.content = content
      news.set(id, record)
    }
    const lost = [...answer.losses, ...losses].filter((loss) => isOfList(loss) || news.has(loss.recordKey))
    return { ids, observation, records: [...news.values()], losses: lost }
  }

  #observe(pass: number, ids: readonly string[]): PageObservation {
    let fresh = 0
    let repeated = 0
    let seenBefore = 0
    for (const id of new Set(ids)) {
      const sighting = this.#seen.get(id)
      if (sighting?.pass === pass) {
        repeated += 1
        continue
      }
      fresh += 1
      if (sighting === undefined) {
        this.#seen.set(id, { pass, content: NOT_EMITTED })
      } else {
        if (sighting.pass === pass - 1) seenBefore += 1
        sighting.pass = pass
      }
    }
    const sameAsLast = ids.length > 0 && sameSequence(ids, this.#last)
    this.#last = ids
    return { length: ids.length, fresh, repeated, seenBefore, sameAsLast }
  }
}

function sameSequence(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index])
}
