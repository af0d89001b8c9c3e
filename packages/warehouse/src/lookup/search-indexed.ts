import type { Connection } from '../driver/driver.ts'
import { type Found, foundColumns, foundIn } from './search-found.ts'
import { matchesOf, type Sought } from './search-matches.ts'
import { IndexQuestion } from './search-question.ts'
import { scan } from './search-scan.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { isSelective } from './search-tokens.ts'
import { rowsIn } from './session.ts'

/** How many of the last changed records are read: few at first, and more if these are likely to suffice. */
const STEPS = [100, 1000, 10_000] as const

/** Size of the texts of a small project, and of a step, estimated from the step before: reading more takes longer than using an index. */
const MAX_BYTES = 32e6

/** All records of a project of so many are read: an index would find those of all projects first. */
const SMALL_PROJECT = 10_000

/**
 * Searches one kind of records that has search indexes. Words that many records have are found among the last changed ones: an index
 * would return them all. Words that few of these have are found by the index (`IndexQuestion`). Both ways are exact, and neither depends
 * on statistics.
 */
export class IndexedSearch {
  readonly #connection: Connection
  readonly #sought: Sought
  /** What was found among the records that were looked at, in the order of time. */
  #seen: Found[] = []
  #step = 0
  /** All records were looked at. */
  #isAll = false
  #nextBytes = 0

  constructor(connection: Connection, sought: Sought) {
    this.#connection = connection
    this.#sought = sought
  }

  /** The first records in the order of the results. */
  async first(count: number): Promise<Found[]> {
    const { kind, terms } = this.#sought
    if (await this.#isSmall()) return await scan(this.#connection, this.#sought, { count, isShared: false })
    const found: Found[] = []
    let question: IndexQuestion | undefined
    const most = SEARCH_SOURCES[kind].title === null ? 0 : terms.length
    for (let inTitle = most; inTitle >= 0 && found.length < count; inTitle--) {
      const needed = count - found.length
      const seen = await this.#lookFor(inTitle, needed)
      if (seen.length < needed && !this.#isAll && question === undefined) {
        if (!isSelective(terms)) return await scan(this.#connection, this.#sought, { count, isShared: true })
        question = await IndexQuestion.begin(this.#connection, this.#sought)
        const all = this.#seen.length >= count ? null : await question.all(count)
        if (all !== null) return all
      }
      const isEnough = seen.length === needed || this.#isAll
      found.push(...(isEnough || question === undefined ? seen : await question.withTitle(inTitle, needed)))
    }
    return found
  }

  async #isSmall(): Promise<boolean> {
    const { kind, pid } = this.#sought
    if (pid === undefined) return false
    const { table } = SEARCH_SOURCES[kind]
    const { rows } = await this.#connection.query(
      `SELECT count(*), sum(${this.#bytes})::double precision FROM (SELECT * FROM ${table} WHERE pid = $1 LIMIT ${SMALL_PROJECT + 1}) t`,
      [pid],
    )
    return Number(rows[0]?.[0]) <= SMALL_PROJECT && Number(rows[0]?.[1]) <= MAX_BYTES
  }

  /** Those with so many words in the title among the last changed records, the last ones first. */
  async #lookFor(inTitle: number, count: number): Promise<Found[]> {
    const seen = () => this.#seen.filter((found) => found.inTitle === inTitle)
    while (seen().length < count && this.#mayLook(seen().length > 0)) await this.#look()
    return seen().slice(0, count)
  }

  /** The last step is for words that some records of the steps before have: others are rare. */
  #mayLook(isSeen: boolean): boolean {
    const steps = isSeen ? STEPS.length : STEPS.length - 1
    return !this.#isAll && this.#step < steps && this.#nextBytes <= MAX_BYTES
  }

  /** Looks at the next records in the order of time. */
  async #look(): Promise<void> {
    const { kind } = this.#sought
    const { table, order } = SEARCH_SOURCES[kind]
    const [from, until] = [this.#lookedAt(0), this.#lookedAt(1)]
    const { all, inTitle, params } = matchesOf(this.#sought)
    const result = await this.#connection.query(
      `SELECT * FROM (
         SELECT ${foundColumns(kind, inTitle)}, ${all} AS is_found, row_number() OVER () AS number,
           count(*) OVER () AS count, (sum(${this.#bytes}) OVER ())::double precision AS bytes
         FROM (SELECT * FROM ${table} WHERE deleted_at IS NULL ORDER BY ${order} OFFSET ${from} LIMIT ${until - from}) t
       ) looked WHERE is_found OR number = 1 ORDER BY number`,
      params,
    )
    const rows = rowsIn(result)
    this.#isAll = Number(rows[0]?.['count'] ?? 0) < until - from
    this.#seen.push(
      ...foundIn(
        kind,
        rows.filter((row) => row['is_found'] === true),
      ),
    )
    this.#step++
    this.#nextBytes = (Number(rows[0]?.['bytes'] ?? 0) / (until - from)) * (this.#lookedAt(1) - until)
  }

  /** SQL of the length of the texts of a row `t`. */
  get #bytes(): string {
    const { title, text } = SEARCH_SOURCES[this.#sought.kind]
    return [...(title === null ? [] : [title]), text]
      .map((column) => `coalesce(octet_length(${column}), 0)`)
      .join(' + ')
  }

  #lookedAt(more: 0 | 1): number {
    return STEPS[this.#step + more - 1] ?? 0
  }
}
