/**
 * A timestamp that can be stored, or why it cannot. `isConverted`: the value was sent in a form that is less exact (a date),
 * has additional information (an offset, more digits than microseconds), or has to be interpreted (a number).
 */
export type Timestamp =
  | { readonly value: string; readonly isConverted?: true }
  | { readonly loss: 'invalid_timestamp' | 'out_of_range' }

/** The service sends this time for a due or completion date that is not set. */
export const EPOCH = '1970-01-01T00:00:00.000Z'

const ANY_FORM =
  /^([+-]\d{6}|\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?(?:([Zz])|([+-])(\d\d):?(\d\d)?)$/

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const MICROSECONDS = 6

const DATE = /^\d{4}-\d\d-\d\d$/

/** 0, and 1973 to 2286 in seconds; 1973 to 2286 in milliseconds. Fewer digits may be a year or a date without dashes. */
const SECONDS = /^(?:0|-?\d{9,10})$/
const MILLISECONDS = /^-?\d{11,13}$/

/**
 * Reads a timestamp of the service (docs/dev/service-api.md#values: ISO 8601, UTC, milliseconds). That form is returned unchanged; any other ISO
 * form with an offset is converted to it, with six digits of the second where three do not suffice; further digits are cut. A date without
 * a time is midnight in UTC. Whole numbers of 9 or 10 digits are seconds since the epoch, of 11 to 13 digits milliseconds, and 0 is the epoch.
 * Years before 1 or after 9999 are `out_of_range`; any other text, or a time without a zone, is `invalid_timestamp`.
 */
export function readTimestamp(text: string): Timestamp {
  if (isExact(text)) return { value: text }
  if (SECONDS.test(text)) return { value: new Date(Number(text) * 1000).toISOString(), isConverted: true }
  if (MILLISECONDS.test(text)) return { value: new Date(Number(text)).toISOString(), isConverted: true }
  if (!DATE.test(text)) return normalise(text)
  const midnight = normalise(`${text}T00:00:00Z`)
  return 'loss' in midnight ? midnight : { ...midnight, isConverted: true }
}

/** Whether the text is `YYYY-MM-DDTHH:MM:SS.mmmZ` and a valid time. Called for every timestamp, so it uses no RegExp. */
export function isExact(text: string): boolean {
  if (text.length !== 24 || text[4] !== '-' || text[7] !== '-' || text[10] !== 'T') return false
  if (text[13] !== ':' || text[16] !== ':' || text[19] !== '.' || text[23] !== 'Z') return false
  const year = number(text, 0) * 100 + number(text, 2)
  const month = number(text, 5)
  const day = number(text, 8)
  // number() returns NaN if there is no digit, and every comparison with it is false
  if (!(number(text, 11) <= 23 && number(text, 14) <= 59 && number(text, 17) <= 59)) return false
  if (!(number(text, 20) >= 0 && digit(text, 22) >= 0 && year >= 1 && day >= 1)) return false
  const days = DAYS[month - 1]
  return days !== undefined && (day <= 28 || (day <= days && (month !== 2 || isLeap(year))))
}

function normalise(text: string): Timestamp {
  const match = ANY_FORM.exec(text)
  if (match === null) return { loss: 'invalid_timestamp' }
  const [, year, month, day, hour, minute, second, fraction, , sign, zoneHour, zoneMinute] = match
  const days = DAYS[Number(month) - 1]
  const leap = Number(month) === 2 && !isLeap(Number(year)) ? 28 : days
  if (leap === undefined || Number(day) < 1 || Number(day) > leap) return { loss: 'invalid_timestamp' }
  const zone = Number(zoneHour ?? 0) * 60 + Number(zoneMinute ?? 0)
  const endOfDay =
    Number(hour) === 24 && Number(minute) === 0 && Number(second ?? 0) === 0 && !/[1-9]/.test(fraction ?? '')
  if ((Number(hour) > 23 && !endOfDay) || Number(minute) > 59 || Number(second ?? 0) > 59)
    return { loss: 'invalid_timestamp' }
  if (Number(zoneHour ?? 0) > 23 || Number(zoneMinute ?? 0) > 59) return { loss: 'invalid_timestamp' }
  const instant = new Date(0)
  instant.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  instant.setUTCHours(Number(hour), Number(minute) - (sign === '-' ? -zone : zone), Number(second ?? 0))
  if (!(instant.getUTCFullYear() >= 1 && instant.getUTCFullYear() <= 9999)) return { loss: 'out_of_range' }
  const value = `${instant.toISOString().slice(0, 20)}${fractionOf(fraction)}Z`
  return zone === 0 && (fraction ?? '').length <= MICROSECONDS ? { value } : { value, isConverted: true }
}

/** The fraction of a second in three digits, or in six where three do not suffice, so that each instant has one text. */
export function fractionOf(digits = ''): string {
  const micros = digits.slice(0, MICROSECONDS).padEnd(MICROSECONDS, '0')
  return micros.endsWith('000') ? micros.slice(0, 3) : micros
}

/** Orders two times as `readTimestamp` returns them, with three or six digits of the second. */
export function compareTimes(a: string, b: string): number {
  const [first, second] = [a.replace('Z', ''), b.replace('Z', '')]
  return first < second ? -1 : first > second ? 1 : 0
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - 48
  return value >= 0 && value <= 9 ? value : Number.NaN
}

function number(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1)
}
