import { formatNumber } from '@collab-etl/cli'
import type { SnapshotReading } from './read-projects.ts'

/** Stored events that the run did not read because they are outside its range. Times are ISO 8601. */
export interface EventsBeyond {
  readonly count: number
  /** How many of them were stored inside the range and were moved out of it since. */
  readonly moved: number
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
  const { count, first, last } = await warehouse.log.eventsOutside(range)
  if (count + moved === 0) return null
  const [from, to] = [range.from.toISOString(), range.to.toISOString()]
  return { count: count + moved, moved, from, to, first, last }
}

export function eventsBeyondLines(outside: EventsBeyond | null): string[] {
  if (outside === null) return []
  const { count, from, to, first, last } = outside
  const spread = first === null || last === null ? '' : `, starting ${first.slice(0, 10)} to ${last.slice(0, 10)}`
  return [
    `${formatNumber(count, 'stored event')} outside the range that was read (${from.slice(0, 10)} to ${to.slice(0, 10)})${spread}: kept unchanged.`,
    'To read them, widen the range with --events-from and --events-to.',
  ]
}
