import type { Connection } from '../driver/driver.ts'
import { type Found, foundColumns, foundIn } from './search-found.ts'
import { matchesOf, type Sought } from './search-matches.ts'
import { dayOf, SEARCH_SOURCES } from './search-sources.ts'
import { isLetter, tokenCondition } from './search-tokens.ts'
import { rowsIn } from './session.ts'

/** Words that so many spans have often enough are common. A single letter is not asked for: each record of a span is compared with all its tokens. */
const RECENT_SPANS = 4

/** A span is longer than the one before it, up to a month: 48 of them are 1,000 days with records. */
const SPAN_DAYS = 'least(power(1.1, number), 31)::integer'

/** Of so many records all are read. */
const FEW = 2000

/**
 * With enough memory (6 MB for 2,000,000 tasks), Postgres keeps the single rows that the index found. Otherwise it keeps their pages, and
 * computes the tokens of all rows in them. Starting parallel workers takes longer than reading the rows of rare words, whose number the
 * planner overestimates.
 */
const INDEX_SETTINGS = "SET LOCAL work_mem = '64MB'; SET LOCAL parallel_setup_cost = 1000000"

/**
 * The planner takes a limit for a reason to read all records until there are enough. Other indexes are only of records that are not
 * deleted: a statement that asks for deleted ones, too, has but one.
 */
const BY_INDEX = 'SET LOCAL enable_seqscan = off; SET LOCAL enable_indexscan = off'

const BY_ANY = 'SET LOCAL enable_seqscan = DEFAULT; SET LOCAL enable_indexscan = DEFAULT'

/** Asks an index for records, the last changed ones first. */
export class IndexQuestion {
  readonly #connection: Connection
  readonly #sought: Sought
  /** The last records, in the order of time, with any number of words in the title; empty if few have the words. */
  #recent: readonly Found[] = []

  private constructor(connection: Connection, sought: Sought) {
    this.#connection = connection
    this.#sought = sought
  }

  /** @param sought an index must know something of its terms, see `isSelective` */
  static async begin(connection: Connection, sought: Sought): Promise<IndexQuestion> {
    await connection.script(INDEX_SETTINGS)
    return new IndexQuestion(connection, sought)
  }

  /** The first records in the order of the results; `null` if many records have the words. */
  async all(count: number): Promise<Found[] | null> {
    const { terms } = this.#sought
    if (terms.length > 1 || !terms.some(isLetter)) {
      const recent = await this.#bySpans(null, count, RECENT_SPANS)
      if (recent.length >= count) {
        this.#recent = recent
        return null
      }
    }
    return await this.#ofFew(null, count)
  }

  /**
   * Those with so many words in the title, the last changed ones first. The index has hundreds of thousands of records with a common word,
   * and knows their days: these are asked for, from the last one back, until there are enough. Few may have it in their title.
   */
  async withTitle(inTitle: number, count: number): Promise<Found[]> {
    if (inTitle > 0) {
      const few = await this.#ofFew(inTitle, count)
      if (few !== null) return few
    }
    const recent = this.#recent.filter((found) => found.inTitle === inTitle)
    if (recent.length >= count) return recent.slice(0, count)
    const dated = await this.#bySpans(inTitle, count)
    return dated.length < count ? [...dated, ...(await this.#undated(inTitle, count - dated.length))] : dated
  }

  /** `null` if the index finds many. */
  async #ofFew(inTitle: number | null, count: number): Promise<Found[] | null> {
    const { table, columns, known, exact, params } = this.#sql(inTitle)
    await this.#connection.script(BY_INDEX)
    const result = await this.#connection.query(
      `WITH candidates AS MATERIALIZED (SELECT * FROM ${table} WHERE ${known} LIMIT ${FEW + 1})
       SELECT (SELECT count(*) FROM candidates) AS count, found.* FROM (SELECT) one LEFT JOIN (
         SELECT ${columns} FROM candidates t WHERE ${exact} ORDER BY in_title DESC, time DESC NULLS LAST, pid, id, cid LIMIT ${count}
       ) found ON true`,
      params,
    )
    await this.#connection.script(BY_ANY)
    const rows = rowsIn(result)
    if (Number(rows[0]?.['count']) > FEW) return null
    const found = rows.filter((row) => row['id'] !== null)
    return foundIn(this.#sought.kind, found)
  }

  /**
   * Spans of days begin with a day that has records: one wrong date makes no difference. The nested loop keeps their order, and ends when
   * there are enough. The records of a span are sorted before they are read: of thousands, the first ones may be enough.
   * @param most of the last spans; all without it
   */
  async #bySpans(inTitle: number | null, count: number, most?: number): Promise<Found[]> {
    const { tokens } = SEARCH_SOURCES[this.#sought.kind]
    const span = `${tokens.day} && ARRAY(SELECT generate_series(since, until, interval '1 day'))`
    const { table, time, columns, known, exact, params, order } = this.#sql(inTitle, span)
    const last = `SELECT ${dayOf(time)} AS day FROM ${table} WHERE deleted_at IS NULL AND`
    const first = `ORDER BY ${time} DESC NULLS LAST LIMIT 1`
    const result = await this.#connection.query(
      `WITH RECURSIVE spans (number, since, until) AS (
         SELECT 1, day, day FROM (${last} ${time} IS NOT NULL ${first}) last
         UNION ALL
         SELECT number + 1, day - (${SPAN_DAYS} - 1) * interval '1 day', day FROM spans
         CROSS JOIN LATERAL (${last} ${time} < since AT TIME ZONE 'UTC' ${first}) next${most === undefined ? '' : ` WHERE number < ${most}`}
       )
       SELECT found.* FROM spans CROSS JOIN LATERAL (
         SELECT ${columns} FROM (
           SELECT * FROM ${table} WHERE ${known} AND ${dayOf(time)} BETWEEN since AND until ORDER BY ${order} OFFSET 0
         ) t WHERE ${exact} LIMIT ${count}
       ) found LIMIT ${count}`,
      params,
    )
    return foundIn(this.#sought.kind, rowsIn(result))
  }

  async #undated(inTitle: number, count: number): Promise<Found[]> {
    const { table, time, columns, known, exact, params } = this.#sql(inTitle)
    const result = await this.#connection.query(
      `SELECT ${columns} FROM ${table} t WHERE t.${time} IS NULL AND ${known} AND ${exact} ORDER BY pid, id, cid LIMIT ${count}`,
      params,
    )
    return foundIn(this.#sought.kind, rowsIn(result))
  }

  /**
   * SQL of the records, and its parameters: `known` has an index find them, `exact` is about a row `t`.
   * @param inTitle so many words are in the title; `null`: any number
   */
  #sql(inTitle: number | null, span?: string) {
    const { kind, terms } = this.#sought
    const source = SEARCH_SOURCES[kind]
    const { all, inTitle: titleWords, params, bind } = matchesOf(this.#sought)
    return {
      ...{ ...source, params, columns: foundColumns(kind, titleWords) },
      known: tokenCondition(terms, source, inTitle ?? 0, bind, span),
      exact: `t.deleted_at IS NULL AND ${all}${inTitle === null ? '' : ` AND ${titleWords} = ${inTitle}`}`,
    }
  }
}
