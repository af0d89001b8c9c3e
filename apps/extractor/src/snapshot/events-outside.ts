import { formatNumber } from '@collab-etl/cli'
import type { Reading } from './read-projects.ts'

/** Events that exist and that the run did not read, as they lie outside its range; times in ISO 8601. */
export interface EventsBeyond {
  readonly count: number
  /** How many of them were stored within the range and have been moved out of it. */
  readonly moved: number
  /** The range that was read. */
  readonly from: string
  readonly to: string
  /** When the first and the last of those stored outside the range start; `null`: all were moved. */
  readonly first: string | null
  readonly last: string | null
}

/** What the warehouse and the reading say of events outside the range; `null`: none is known. */
export async function eventsBeyond({
  warehouse,
  events: { range, moved },
}: Pick<Reading, 'warehouse' | 'events'>): Promise<EventsBeyond | null> {
  if (range === null) return null
  const { count, first, last } = await warehouse.eventsOutside(range)
  if (count + moved === 0) return null
  const [from, to] = [range.from.toISOString(), range.to.toISOString()]
  return { count: count + moved, moved, from, to, first, last }
}

export function eventsBeyondLines(outside: EventsBeyond | null): string[] {
  if (outside === null) return []
  const { count, from, to, first, last } = outside
  const spread = first === null || last === null ? '' : `, from ${first.slice(0, 10)} to ${last.slice(0, 10)}`
  return [
    `${formatNumber(count, 'stored event')} outside the range read (${from.slice(0, 10)} to ${to.slice(0, 10)})${spread}: kept as they were`,
    'Read them with --events-from and --events-to.',
  ]
}
