import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/** Live events that a range leaves out. */
export interface EventsOutside {
  readonly count: number
  /** When the first and the last of them start; `null`: there is none. */
  readonly first: string | null
  readonly last: string | null
}

/** Counts the live events of live projects outside a range: those that end before it or start after it. */
export async function readEventsOutside(
  driver: Driver,
  schema: SchemaNames,
  { from, to }: { readonly from: Date; readonly to: Date },
): Promise<EventsOutside> {
  const { rows } = await driver.query(
    `SELECT count(*), min(e.starts_at), max(e.starts_at) FROM ${schema.main}.events e
     JOIN ${schema.main}.projects p ON p.pid = e.pid AND p.deleted_at IS NULL
     WHERE e.deleted_at IS NULL AND (e.starts_at > $2::timestamptz OR coalesce(e.recurrence, 0) = 0
       AND greatest(e.starts_at, e.ends_at) < $1::timestamptz)`,
    [from.toISOString(), to.toISOString()],
  )
  const [count, first, last] = rows[0] ?? []
  const time = (value: unknown) => (value === null || value === undefined ? null : String(value))
  return { count: Number(count ?? 0), first: time(first), last: time(last) }
}
