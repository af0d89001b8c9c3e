import type { Connection } from '../driver/driver.ts'
import { type Found, foundColumns, foundIn } from './search-found.ts'
import { matchesOf } from './search-matches.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { rowsIn } from './session.ts'
import type { SearchKind } from './types.ts'

/** Scans are shared with the server's parallel workers: its planner does not count the time that long texts take. */
const SHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0'

const UNSHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = DEFAULT; SET LOCAL parallel_setup_cost = DEFAULT; SET LOCAL parallel_tuple_cost = DEFAULT'

interface Scan {
  readonly kind: SearchKind
  /** The forms of each term, see `searchTerms`. */
  readonly terms: readonly string[][]
  readonly pid: string | undefined
  /** Whether parallel workers are worth their start. */
  readonly isShared: boolean
}

/** The first records of a kind in the order of the results, by looking at all of them. */
export async function scan(
  connection: Connection,
  { kind, terms, pid, isShared }: Scan,
  count: number,
): Promise<Found[]> {
  const source = SEARCH_SOURCES[kind]
  if (isShared) await connection.script(SHARED_WORK)
  const params: unknown[] = []
  const bind = (value: unknown) => `$${params.push(value)}`
  const { all, inTitle } = matchesOf(source, terms, bind)
  const where = pid === undefined ? '' : ` AND t.pid = ${bind(pid)}::text`
  const result = await connection.query(
    `SELECT ${foundColumns(kind, inTitle)} FROM ${source.table} t WHERE t.deleted_at IS NULL${where} AND ${all}
     ORDER BY in_title DESC, ${source.order} LIMIT ${count}`,
    params,
  )
  if (isShared) await connection.script(UNSHARED_WORK)
  return foundIn(kind, rowsIn(result))
}
