import type { Connection } from '../driver/driver.ts'
import { compareFound, type Found } from './search-found.ts'
import { hitsOf } from './search-hits.ts'
import { indexedTables } from './search-index.ts'
import { IndexedSearch } from './search-indexed.ts'
import { scan } from './search-scan.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { searchTerms } from './search-terms.ts'
import { SEARCH_KINDS, type SearchHit, type SearchRequest, type Slice, type Sliced } from './types.ts'

/**
 * Searches by looking at every text, unless the tables have search indexes (`SearchIndexes`), which take longer to fill than the rest of a
 * first snapshot. Both find the same records. Substrings find Chinese, Japanese and Thai, which do not separate words.
 */
export async function search(connection: Connection, request: SearchRequest, slice: Slice): Promise<Sliced<SearchHit>> {
  const terms = searchTerms(request.query)
  const count = slice.offset + slice.limit + 1
  const indexed = await indexedTables(connection)
  const kinds = SEARCH_KINDS.filter((kind) => request.kinds?.includes(kind) ?? true)
  const found: Found[] = []
  for (const kind of kinds.filter((each) => indexed.has(SEARCH_SOURCES[each].table))) {
    found.push(...(await new IndexedSearch(connection, { kind, terms, pid: request.pid }).first(count)))
  }
  const others = kinds.filter((each) => !indexed.has(SEARCH_SOURCES[each].table))
  for (const kind of others) {
    found.push(...(await scan(connection, { kind, terms, pid: request.pid }, { count, isShared: true })))
  }
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
