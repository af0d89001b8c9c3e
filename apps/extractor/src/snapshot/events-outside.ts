import { formatNumber } from '@collab-etl/cli'
import type { SnapshotReading } from './read-projects.ts'
import { OUTSIDE_EVENTS_PERIOD_MS } from './refresh-policy.ts'

/** Live events that are not in the range that the run read. Times are ISO 8601. */
export interface EventsBeyond {
  readonly count: number
  /** How many of them were stored inside the range and were moved out of it since. */
  readonly moved: number
  /** How many of them were confirmed by their ids in the last 30 days, where the service offers that. */
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
  run,
  events: { range, moved },
}: Pick<SnapshotReading, 'warehouse' | 'run' | 'events'>): Promise<EventsBeyond | null> {
  if (range === null) return null
  const since = new Date(run.startedAt.getTime() - OUTSIDE_EVENTS_PERIOD_MS)
  const { count, confirmed, first, last } = await warehouse.log.eventsOutside(range, since)
  if (count + moved === 0) return null
  const [from, to] = [range.from.toISOString(), range.to.toISOString()]
  return { count: count + moved, moved, confirmed, from, to, first, last }
}

export function eventsBeyondLines(outside: EventsBeyond | null): string[] {
  if (outside === null) return []
  const { count, confirmed, from, to, first, last } = outside
  const spread = first === null || last === null ? '' : `, starting ${first.slice(0, 10)} to ${last.slice(0, 10)}`
  const events = `${formatNumber(count, 'stored event')} outside the range that was read (${from.slice(0, 10)} to ${to.slice(0, 10)})${spread}`
  if (confirmed === count) return [`${events}: each was confirmed by its id in the last 30 days.`]
  return [
    `${events}: ${confirmed === 0 ? '' : `${confirmed} confirmed by id in the last 30 days, the others `}kept unchanged.`,
    'To read them, widen the range with --events-from and --events-to.',
  ]
}
