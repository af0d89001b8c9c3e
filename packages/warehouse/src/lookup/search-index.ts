import { createHash } from 'node:crypto'
import { type Connection, type Driver, records } from '../driver/driver.ts'
import { WarehouseError } from '../errors.ts'
import { literal, type SchemaNames } from '../names.ts'
import { SEARCH_SOURCES, type SearchSource } from './search-sources.ts'

/**
 * State of an index: `building`: another session is filling it; `invalid`: filling it was interrupted; `outdated`: it has another definition
 * than this version creates, and is not used.
 */
export type SearchIndexState = 'ready' | 'building' | 'invalid' | 'outdated' | 'missing'

/** One of the search indexes of a warehouse. */
export interface SearchIndex {
  readonly name: string
  readonly table: string
  readonly state: SearchIndexState
  /** 0 if it is missing. */
  readonly bytes: number
}

/** What is done with one index: it was `created`, `dropped`, or `kept` as it was. */
export type SearchIndexChange = SearchIndex & { readonly change: 'created' | 'dropped' | 'kept' }

interface Definition {
  readonly name: string
  readonly table: string
  /** SQL after the name of the table. @param schema as SQL */
  readonly definition: (schema: string) => string
  /** Its comment in the database. An index is recognised by it: Postgres writes definitions in a form of its own, which depends on its version. */
  readonly comment: string
}

/**
 * In kB: each question to the index reads all rows that wait for their place in it. The default of 4 MB takes 2 ms a question; 256 kB double
 * the time of updates.
 */
const PENDING = 'WITH (gin_pending_list_limit = 1024)'

const DEFINITIONS: readonly Definition[] = Object.values(SEARCH_SOURCES).flatMap(definitionsOf)

const NAMES = DEFINITIONS.map(({ name }) => name)

const COMMENTS = DEFINITIONS.map(({ comment }) => comment)

/** SQL of the sessions that fill one of the indexes; the parameters are the schema and the names. */
const FILLING = `pg_stat_progress_create_index p JOIN pg_class c ON c.oid = p.index_relid JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE p.datname = current_database() AND n.nspname = $1 AND c.relname = ANY ($2)`

/**
 * Two indexes of a table: one in the order of the results, for words that very many records have, and one of the days and tokens. Days come
 * first: Postgres looks in the lists of the later columns only for records that the first one has.
 */
function definitionsOf({ table, tokens, order }: SearchSource): Definition[] {
  const columns = [tokens.title, tokens.all].filter((expression) => expression !== null)
  const inOrder = () => `(${order}) WHERE deleted_at IS NULL`
  const byTokens = (schema: string) =>
    `USING gin (${[`(${tokens.day})`, ...columns.map((column) => `${schema}.${column}`)].join(', ')}) ${PENDING}`
  return [
    { ...{ name: `${table}_search_order`, table, definition: inOrder }, comment: commentOf('Order', inOrder) },
    { ...{ name: `${table}_search`, table, definition: byTokens }, comment: commentOf('Tokens', byTokens) },
  ]
}

function commentOf(what: string, definition: Definition['definition']): string {
  const digest = createHash('sha256').update(definition('collab')).digest('hex').slice(0, 16)
  return `${what} of search results: see collab-extract search-index (definition ${digest})`
}

/** The tables of the search path that have both search indexes. */
export async function indexedTables(connection: Connection): Promise<ReadonlySet<string>> {
  const { rows } = await connection.query(
    `SELECT t.relname::text FROM unnest($1::text[], $2::text[]) AS d (name, comment)
     JOIN pg_class c ON c.relname = d.name AND obj_description(c.oid, 'pg_class') = d.comment
     JOIN pg_index i ON i.indexrelid = c.oid JOIN pg_class t ON t.oid = i.indrelid
     WHERE i.indisvalid AND i.indisready AND NOT i.indcheckxmin AND pg_table_is_visible(t.oid)
     GROUP BY t.relname HAVING count(*) = 2`,
    [NAMES, COMMENTS],
  )
  return new Set(rows.flat().map(String))
}

/** The search indexes of a warehouse: see `Lookup.search`. On Postgres, other sessions read and write the tables while they are created. */
export class SearchIndexes {
  readonly #driver: Driver
  readonly #schema: SchemaNames

  constructor(driver: Driver, schema: SchemaNames) {
    this.#driver = driver
    this.#schema = schema
  }

  /** All indexes, missing ones too. */
  async list(): Promise<SearchIndex[]> {
    const found = await this.#driver.query(
      `SELECT d.name, d."table", CASE WHEN i.indisvalid AND obj_description(c.oid, 'pg_class') = d.comment THEN 'ready'
           WHEN i.indisvalid THEN 'outdated' WHEN p.index_relid IS NOT NULL THEN 'building'
           WHEN i.indexrelid IS NOT NULL THEN 'invalid' ELSE 'missing' END AS state,
         coalesce(pg_relation_size(i.indexrelid), 0)::double precision AS bytes
       FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS d (name, "table", comment, number)
       LEFT JOIN pg_namespace n ON n.nspname = $1
       LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = d.name
       LEFT JOIN pg_index i ON i.indexrelid = c.oid
       LEFT JOIN pg_stat_progress_create_index p ON p.index_relid = i.indexrelid AND p.datname = current_database()
       ORDER BY d.number`,
      [this.#schema.name, NAMES, DEFINITIONS.map(({ table }) => table), COMMENTS],
    )
    return records<SearchIndex>(found)
  }

  /**
   * Creates the indexes that are missing, invalid or outdated.
   * @param report receives each when it is done
   * @throws WarehouseError `LOCKED` if another session is creating one of them; `UNSUITABLE` if tables are partitioned
   */
  async create(report: (done: SearchIndexChange) => void): Promise<void> {
    await this.#refusePartitions()
    const { main } = this.#schema
    for (const { name, table, definition, comment } of DEFINITIONS) {
      const { state } = await this.#free(name)
      if (state === 'invalid' || state === 'outdated') await this.#drop(name)
      if (state !== 'ready') {
        await this.#driver.query(`CREATE INDEX ${this.#concurrently} ${name} ON ${main}.${table} ${definition(main)}`)
        await this.#driver.query(`COMMENT ON INDEX ${main}.${name} IS ${literal(comment)}`)
        // the planner has no statistics of the new expressions, nor of a table that was never analysed
        await this.#driver.query(`ANALYZE ${main}.${table}`)
      }
      report({ ...(await this.#get(name)), change: state === 'ready' ? 'kept' : 'created' })
    }
  }

  /**
   * Drops all indexes, invalid ones too.
   * @param report receives each when it is done
   * @throws WarehouseError `LOCKED` if another session is creating one of them
   */
  async drop(report: (done: SearchIndexChange) => void): Promise<void> {
    for (const name of NAMES) {
      const { state } = await this.#free(name)
      if (state !== 'missing') await this.#drop(name)
      report({ ...(await this.#get(name)), change: state === 'missing' ? 'kept' : 'dropped' })
    }
  }

  /** How far Postgres is with the index that it is filling, as a share of the table; `null`: it is filling none. */
  async progress(): Promise<{ readonly name: string; readonly share: number } | null> {
    const found = await this.#driver.query(
      `SELECT c.relname::text AS name,
      coalesce(p.blocks_done::double precision / nullif(p.blocks_total, 0), 0) AS share FROM ${FILLING} LIMIT 1`,
      [this.#schema.name, NAMES],
    )
    return records<{ name: string; share: number }>(found)[0] ?? null
  }

  /** Cancels the creation of an index, also that of another session. An invalid index remains, which the next `create` or `drop` removes. */
  async cancel(): Promise<void> {
    await this.#driver.query(`SELECT pg_cancel_backend(p.pid) FROM ${FILLING}`, [this.#schema.name, NAMES])
  }

  async #free(name: string): Promise<SearchIndex> {
    const found = await this.#get(name)
    if (found.state !== 'building') return found
    const message = `another session is creating the index ${this.#schema.name}.${name}: wait until it ends`
    throw new WarehouseError('LOCKED', message)
  }

  async #get(name: string): Promise<SearchIndex> {
    const found = (await this.list()).find((index) => index.name === name)
    if (found === undefined) throw new TypeError(`there is no search index ${name}`)
    return found
  }

  async #drop(name: string): Promise<void> {
    await this.#driver.query(`DROP INDEX ${this.#concurrently} IF EXISTS ${this.#schema.main}.${name}`)
  }

  /** The embedded database has no other sessions to wait for. */
  get #concurrently(): string {
    return this.#driver.kind === 'postgres' ? 'CONCURRENTLY' : ''
  }

  /** Postgres creates no index of a partitioned table while others write. */
  async #refusePartitions(): Promise<void> {
    const { rows } = await this.#driver.query(
      `SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE n.nspname = $1 AND c.relkind = 'p' AND c.relname = ANY ($2) ORDER BY 1`,
      [this.#schema.name, DEFINITIONS.map(({ table }) => table)],
    )
    if (rows.length === 0) return
    throw new WarehouseError(
      'UNSUITABLE',
      `search indexes cannot be created for partitioned tables (${rows.flat().join(', ')}): the search works without them`,
    )
  }
}
