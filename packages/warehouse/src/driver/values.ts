import { parseExactJson } from '@collab-etl/contract/exact-json'
import { fractionOf } from '@collab-etl/contract/timestamp'

/** Object ids of the types whose values are read here; they are the same in every Postgres. */
const OID = {
  int8: 20,
  timestamp: 1114,
  timestamptz: 1184,
  date: 1082,
  time: 1083,
  interval: 1186,
  numeric: 1700,
  bytea: 17,
  json: 114,
  jsonb: 3802,
}

const asText = (text: string): unknown => text

/** How values of a type are read from Postgres' text form, the same on both drivers; all other types as the driver does. */
export const VALUE_PARSERS: Readonly<Record<number, (text: string) => unknown>> = {
  [OID.int8]: parseBigint,
  [OID.timestamptz]: parseTimestamp,
  [OID.timestamp]: asText,
  [OID.date]: asText,
  [OID.time]: asText,
  [OID.interval]: asText,
  [OID.numeric]: asText,
  [OID.bytea]: asText,
  [OID.json]: parseExactJson,
  [OID.jsonb]: parseExactJson,
}

/** A number where it is exact, else the text. */
function parseBigint(text: string): number | string {
  const number = Number(text)
  return Number.isSafeInteger(number) ? number : text
}

/**
 * A time as text: each instant has one form, with microseconds where there are any. The session's time zone is UTC. Infinity, and years
 * before Christ or of more than four digits, stay as Postgres writes them.
 */
export function parseTimestamp(text: string): string {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text)
  if (match === null) return text
  const [, date, time, fraction] = match
  return `${date}T${time}.${fractionOf(fraction)}Z`
}

/** The value of a timestamp column, to the millisecond; `null` if it is null. */
export function dateOf(value: unknown): Date | null {
  return typeof value === 'string' ? new Date(value) : null
}
