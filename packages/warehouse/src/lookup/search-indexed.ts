import type { Connection } from '../driver/driver.ts'
import { type Found, foundColumns, foundIn } from './search-found.ts'
import { matchesOf, SHARED_WORK } from './search-matches.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { TokenConditions } from './search-tokens.ts'
import { rowsIn } from './session.ts'
import type { SearchKind } from './types.ts'

/** How many of the last changed records are read: few at first, and more if these are likely to suffice. */
const STEPS = [100, 1000, 10_000] as const

/** Size of the texts of a step, estimated from the step before: reading more takes longer than using an index. */
const MAX_STEP_BYTES = 32e6

/**
 * With enough memory (6 MB for 2,000,000 tasks), Postgres keeps the single rows that the index found. Otherwise it keeps their pages, and
 * computes the tokens of all rows in them. Starting parallel workers takes longer than reading the rows of rare words, whose number the
 * planner overestimates.
 */
const INDEX_SETTINGS = "SET LOCAL work_mem = '64MB'; SET LOCAL parallel_setup_cost = 1000000"

/**
 * Searches one kind of records that has search indexes. Words that many records have are found among the last changed ones: an index
 * would return them all. Words that few of these have are found by the index. Both ways are exact, and neither depends on statistics.
 */
export class IndexedSearch {
  readonly #connection: Connection
  readonly #kind: SearchKind
  readonly #terms: readonly string[][]
  readonly #pid: string | undefined
  /** What was found among the records that were looked at, in the order of time. */
  #seen: Found[] = []
  #step = 0
  /** All records were looked at. */
  #isAll = false
  #nextBytes = 0

  constructor(connection: Connection, kind: SearchKind, terms: readonly string[][], pid: string | undefined) {
    this.#connection = connection
    this.#kind = kind
    this.#terms = terms
    this.#pid = pid
  }

  /** The first records in the order of the results. */
  async first(count: number): Promise<Found[]> {
    const found: Found[] = []
    const most = SEARCH_SOURCES[this.#kind].title === null ? 0 : this.#terms.length
    for (let inTitle = most; inTitle >= 0 && found.length < count; inTitle--) {
      found.push(...(await this.#withTitle(inTitle, count - found.length)))
    }
    return found
  }

  /** Those that have so many words in the title, the last changed ones first. */
  async #withTitle(inTitle: number, count: number): Promise<Found[]> {
    const seen = () => this.#seen.filter((found) => found.inTitle === inTitle)
    while (seen().length < count && this.#mayLook(seen().length > 0)) await this.#look()
    return this.#isAll || seen().length >= count ? seen().slice(0, count) : await this.#ask(inTitle, count)
  }

  /** The last step is for words that some records of the steps before have: others are rare. */
  #mayLook(isSeen: boolean): boolean {
    const steps = isSeen ? STEPS.length : STEPS.length - 1
    return !this.#isAll && this.#step < steps && this.#nextBytes <= MAX_STEP_BYTES
  }

  /** Looks at the next records in the order of time. */
  async #look(): Promise<void> {
    const { table, order, title, text } = SEARCH_SOURCES[this.#kind]
    const [from, until] = [this.#lookedAt(0), this.#lookedAt(1)]
    const { all, inTitle, pid, params } = this.#conditions()
    const bytes = [...(title === null ? [] : [title]), text].map((column) => `coalesce(octet_length(${column}), 0)`)
    const result = await this.#connection.query(
      `SELECT * FROM (
         SELECT ${foundColumns(this.#kind, inTitle)}, ${all}${pid} AS is_found, row_number() OVER () AS number,
           count(*) OVER () AS count, (sum(${bytes.join(' + ')}) OVER ())::double precision AS bytes
         FROM (SELECT * FROM ${table} WHERE deleted_at IS NULL ORDER BY ${order} OFFSET ${from} LIMIT ${until - from}) t
       ) looked WHERE is_found OR number = 1 ORDER BY number`,
      params,
    )
    const rows = rowsIn(result)
    this.#isAll = Number(rows[0]?.['count'] ?? 0) < until - from
    this.#seen.push(
      ...foundIn(
        this.#kind,
        rows.filter((row) => row['is_found'] === true),
      ),
    )
    this.#step++
    this.#nextBytes = (Number(rows[0]?.['bytes'] ?? 0) / (until - from)) * (this.#lookedAt(1) - until)
  }

  #lookedAt(more: 0 | 1): number {
    return STEPS[this.#step + more - 1] ?? 0
  }

  /** Has the index find them. The sort is outside, so that no plan reads the records in the order of time until it has enough. */
  async #ask(inTitle: number, count: number): Promise<Found[]> {
    const source = SEARCH_SOURCES[this.#kind]
    const { all, inTitle: titleWords, pid, params, bind } = this.#conditions()
    const tokens = new TokenConditions(this.#terms, bind)
    await this.#connection.script(tokens.isSelective ? INDEX_SETTINGS : SHARED_WORK)
    const known = tokens.isSelective ? `${tokens.inAll(source)} AND ${tokens.inTitle(source, inTitle)} AND ` : ''
    const result = await this.#connection.query(
      `SELECT * FROM (
         SELECT ${foundColumns(this.#kind, titleWords)} FROM ${source.table} t
         WHERE t.deleted_at IS NULL AND ${known}${all} AND ${titleWords} = ${inTitle}${pid} OFFSET 0
       ) found ORDER BY time DESC NULLS LAST, pid, id, cid LIMIT ${count}`,
      params,
    )
    return foundIn(this.#kind, rowsIn(result))
  }

  #conditions() {
    const params: unknown[] = []
    const bind = (value: unknown) => `$${params.push(value)}`
    const matches = matchesOf(SEARCH_SOURCES[this.#kind], this.#terms, bind)
    const pid = this.#pid === undefined ? '' : ` AND t.pid = ${bind(this.#pid)}::text`
    return { ...matches, pid, params, bind }
  }
}
