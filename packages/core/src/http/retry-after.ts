/**
 * Reads a `Retry-After` header: seconds, or an HTTP date.
 * @returns milliseconds from `now` on, 0 for a time past; `undefined` where there is none or it cannot be read
 */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1000)
  // Date.parse reads many things as a date, such as "1" or "-5": an HTTP date has a month's name in it.
  if (!/[A-Za-z]{3}/.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
