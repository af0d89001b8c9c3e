import type { Connection } from '../driver/driver.ts'
import { compareFound, FOUND_ORDER, type Found, foundColumns, foundIn } from './search-found.ts'
import { hitsOf } from './search-hits.ts'
import { matchesOf, type Sought } from './search-matches.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { searchTerms } from './search-terms.ts'
import { rowsIn } from './session.ts'
import { SEARCH_KINDS, type SearchHit, type SearchRequest, type Slice, type Sliced } from './types.ts'

/** Scans are shared with the server's parallel workers: its planner does not count the time that long texts take. */
const SHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0'

const UNSHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = DEFAULT; SET LOCAL parallel_setup_cost = DEFAULT; SET LOCAL parallel_tuple_cost = DEFAULT'

/**
 * Searches by looking at every text, unless Postgres can use indexes of `pg_trgm` (docs/mcp.md), which change nothing but the time.
 * Substrings find Chinese, Japanese and Thai, which do not separate words.
 */
export async function search(connection: Connection, request: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>> {
  const terms = searchTerms(request.query)
  const count = slice.offset + slice.limit + 1
  const kinds = SEARCH_KINDS.filter((kind) => request.kinds?.includes(kind) ?? true)
  const found: Found[] = []
  await connection.script(SHARED_WORK)
  for (const kind of kinds) found.push(...(await first(connection, { kind, terms, pid: request.pid }, count)))
  await connection.script(UNSHARED_WORK)
  const keys = found.sort(compareFound).slice(slice.offset, count - 1)
  const hits = new Map<string, SearchHit>()
  for (const kind of kinds) {
    const own = keys.filter((key) => key.kind === kind)
    if (own.length > 0) for (const hit of await hitsOf(connection, kind, own, terms)) hits.set(keyOf(hit), hit)
  }
  return {
    items: keys.map((key) => hits.get(keyOf(key))).filter((hit) => hit !== undefined),
    hasMore: found.length >= count,
  }
}

/** The first records of a kind in the order of the results. */
async function first(connection: Connection, sought: Sought, count: number): Promise<Found[]> {
  const { all, inTitle, params } = matchesOf(sought)
  const result = await connection.query(
    `SELECT ${foundColumns(sought.kind, inTitle)} FROM ${SEARCH_SOURCES[sought.kind].table} t
     WHERE t.deleted_at IS NULL AND ${all} ORDER BY ${FOUND_ORDER} LIMIT ${count}`,
    params,
  )
  return foundIn(sought.kind, rowsIn(result))
}

function keyOf({
  kind,
  pid,
  id,
  cid = '',
}: {
  readonly kind: string
  readonly pid: string
  readonly id: string
  readonly cid?: string
}): string {
  return JSON.stringify([kind, pid, id, cid])
}
