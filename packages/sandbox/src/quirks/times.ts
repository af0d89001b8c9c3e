import { EPOCH } from '@collab-etl/contract/timestamp'
import { isRecord, plain, type Quirk, type QuirkKinds } from './quirk.ts'

const TIMES = new Set(['created_at', 'updated_at', 'completed_date', 'expire_date', 'start', 'end'])
const DUE = new Set(['completed_date', 'expire_date'])
const SECOND = 1000
const OFFSET_HOURS = 8
const HOUR = 3_600_000

/** Times in forms other than ISO 8601 in UTC. */
export const times: QuirkKinds = {
  'epoch-ms': plain('times are milliseconds since the epoch', writing(TIMES, Date.parse)),
  'epoch-s': plain(
    'times are whole seconds since the epoch',
    writing(TIMES, (time) => Math.floor(Date.parse(time) / SECOND)),
  ),
  'date-only': plain(
    'due and completion dates have no time of day',
    writing(DUE, (time) => time.slice(0, EPOCH.indexOf('T'))),
  ),
  'offset-times': plain('times have the offset +08:00', writing(TIMES, withOffset)),
}

/** Rewrites these fields at any depth of a record. */
function writing(fields: ReadonlySet<string>, write: (time: string) => unknown): Quirk {
  const rewrite = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(rewrite)
    if (!isRecord(value)) return
    for (const [name, inner] of Object.entries(value)) {
      if (fields.has(name) && typeof inner === 'string' && !Number.isNaN(Date.parse(inner))) value[name] = write(inner)
      else rewrite(inner)
    }
  }
  return { change: (_, success) => rewrite(success.result) }
}

function withOffset(time: string): string {
  return new Date(Date.parse(time) + OFFSET_HOURS * HOUR).toISOString().replace('Z', '+08:00')
}
