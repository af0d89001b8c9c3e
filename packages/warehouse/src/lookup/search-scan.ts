import type { Connection } from '../driver/driver.ts'
import { type Found, foundColumns, foundIn } from './search-found.ts'
import { matchesOf, type Sought } from './search-matches.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import { rowsIn } from './session.ts'

/** Scans are shared with the server's parallel workers: its planner does not count the time that long texts take. */
const SHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0'

const UNSHARED_WORK =
  'SET LOCAL min_parallel_table_scan_size = DEFAULT; SET LOCAL parallel_setup_cost = DEFAULT; SET LOCAL parallel_tuple_cost = DEFAULT'

/**
 * The first records of a kind in the order of the results, by looking at all of them.
 * @param isShared whether parallel workers are worth their start
 */
export async function scan(
  connection: Connection,
  sought: Sought,
  { count, isShared }: { readonly count: number; readonly isShared: boolean },
): Promise<Found[]> {
  const { table, order } = SEARCH_SOURCES[sought.kind]
  if (isShared) await connection.script(SHARED_WORK)
  const { all, inTitle, params } = matchesOf(sought)
  const result = await connection.query(
    `SELECT ${foundColumns(sought.kind, inTitle)} FROM ${table} t WHERE t.deleted_at IS NULL AND ${all}
     ORDER BY in_title DESC, ${order} LIMIT ${count}`,
    params,
  )
  if (isShared) await connection.script(UNSHARED_WORK)
  return foundIn(sought.kind, rowsIn(result))
}
