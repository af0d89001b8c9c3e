import { formatNumber } from '@collab-etl/cli'
import type { SnapshotReading } from './read-projects.ts'

/** Live events that are not in the range that the run read. Times are ISO 8601. */
export interface EventsBeyond {
  readonly count: number
  /** How many of them were stored inside the range and were moved out of it since. */
  readonly moved: number
  /** How many of them this run or an earlier one has confirmed, because the service gives events by their ids. */
  readonly confirmed: number
  readonly from: string
  readonly to: string
  /** When the first and the last of those stored outside the range start; `null`: all were moved. */
  readonly first: string | null
  readonly last: string | null
}

/** Counts the events outside the range, by the warehouse and by what was read; `null`: none. */
export async function eventsBeyond({
  warehouse,
  events: { range, moved },
}: Pick<SnapshotReading, 'warehouse' | 'events'>): Promise<EventsBeyond | null> {
  if (range === null) return null
  const { count, confirmed, first, last } = await warehouse.log.eventsOutside(range)
  if (count + moved === 0) return null
  const [from, to] = [range.from.toISOString(), range.to.toISOString()]
  return { count: count + moved, moved, confirmed, from, to, first, last }
}

export function eventsBeyondLines(outside: EventsBeyond | null): string[] {
  if (outside === null) return []
  const { count, confirmed, from, to, first, last } = outside
  const spread = first === null || last === null ? '' : `, starting ${first.slice(0, 10)} to ${last.slice(0, 10)}`
  const events = `${formatNumber(count, 'stored event')} outside the range that was read (${from.slice(0, 10)} to ${to.slice(0, 10)})${spread}`
  if (confirmed === count) return [`${events}: each was confirmed by its id.`]
  return [
    `${events}: ${confirmed === 0 ? '' : `${confirmed} were confirmed by their ids, the others `}kept unchanged.`,
    'To read them, widen the range with --events-from and --events-to.',
  ]
}
