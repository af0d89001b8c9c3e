/**
 * The three forms of an HTTP date (RFC 9110, section 5.6.7). `Date.parse` accepts other texts too: it takes "later 3"
 * for a day of 2001, which would mean no waiting at all.
 */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
]
/** Names no time zone; GMT is meant. */
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @returns milliseconds after `now`, 0 for a time in the past; `undefined` if the header is missing or cannot be read
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  const date = timeOf(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function timeOf(text: string): number {
  if (ASCTIME.test(text)) return Date.parse(`${text} GMT`)
  return HTTP_DATES.some((form) => form.test(text)) ? Date.parse(text) : Number.NaN
}
