import type { HitKey } from './search-hits.ts'
import { SEARCH_SOURCES } from './search-sources.ts'
import type { Selected } from './session.ts'
import type { SearchKind } from './types.ts'

/** A record that has all words, with what it is ordered by. */
export interface Found extends HitKey {
  readonly inTitle: number
  /** Seconds since 1970; `null`: unknown, which comes last. */
  readonly time: number | null
}

/** SQL of the columns that `foundIn` reads. @param inTitle SQL of the number of words in the title */
export function foundColumns(kind: SearchKind, inTitle: string): string {
  const { id, cid, time } = SEARCH_SOURCES[kind]
  return `t.pid, t.${id} AS id, ${cid === undefined ? "''" : `t.${cid}`} AS cid, ${inTitle} AS in_title,
    extract(epoch FROM t.${time})::double precision AS time`
}

/** SQL of the order of these columns. */
export const FOUND_ORDER = 'in_title DESC, time DESC NULLS LAST, pid, id, cid'

export function foundIn(kind: SearchKind, rows: readonly Selected[]): Found[] {
  return rows.map((row) => ({
    kind,
    pid: String(row['pid']),
    id: String(row['id']),
    cid: String(row['cid']),
    inTitle: Number(row['in_title']),
    time: row['time'] === null ? null : Number(row['time']),
  }))
}

/** The order of the results; that of one kind is `FOUND_ORDER`: ids by their bytes. */
export function compareFound(a: Found, b: Found): number {
  return (
    b.inTitle - a.inTitle ||
    compareTimes(a.time, b.time) ||
    compareBytes(a.kind, b.kind) ||
    compareBytes(a.pid, b.pid) ||
    compareBytes(a.id, b.id) ||
    compareBytes(a.cid, b.cid)
  )
}

/** The latest first. */
function compareTimes(a: number | null, b: number | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  return a === b ? 0 : a > b ? -1 : 1
}

function compareBytes(a: string, b: string): number {
  return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b))
}
