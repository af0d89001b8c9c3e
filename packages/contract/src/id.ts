/**
 * Maximum length of an id, in bytes of UTF-8. Ids of the service are shorter. Five ids of this length, a time and their
 * alignment fit into one row of a Postgres index (2,704 bytes).
 */
export const MAX_ID_BYTES = 512

/** A UTF-16 code unit takes at most three bytes of UTF-8: up to this length, texts need not be measured. */
const SURELY_SHORT = Math.floor(MAX_ID_BYTES / 3)

const DIGEST_DIGITS = 32

/** The end of an id that was shortened. */
const SHORTENED = new RegExp(`…[0-9a-f]{${DIGEST_DIGITS}}$`)

/** Bytes of the beginning that a shortened id keeps; `…` takes three. */
const KEPT_BYTES = MAX_ID_BYTES - DIGEST_DIGITS - 3

/** Whether an id has the form of a shortened one, which is not the id of any record of the service. */
export function isShortenedId(id: string): boolean {
  return id.length > DIGEST_DIGITS && id.charCodeAt(id.length - DIGEST_DIGITS - 1) === 0x2026 && SHORTENED.test(id)
}

/** Whether an id has at most 512 bytes and is kept as it is. */
export function isShortId(id: string): boolean {
  return id.length <= SURELY_SHORT || new TextEncoder().encode(id).length <= MAX_ID_BYTES
}

/**
 * The beginning of an id, `…` and 32 digits of a hash of the whole: at most 512 bytes. Different ids stay different.
 *
 * @param id well-formed, without U+0000
 * @param digest SHA-256 of the id as it was sent, in hexadecimal
 */
export function shortenedId(id: string, digest: string): string {
  // a character that is cut in two is dropped
  const beginning = new TextDecoder().decode(new TextEncoder().encode(id).subarray(0, KEPT_BYTES), { stream: true })
  return `${beginning}…${digest.slice(0, DIGEST_DIGITS)}`
}

/**
 * Whether an id can be sent to the service in a request: it has at most 512 bytes, was not shortened, contains neither lone surrogates
 * nor U+0000, and is not a path step (`.`, `..`).
 */
export function isAskableId(id: string): boolean {
  if (id === '' || id === '.' || id === '..') return false
  return !id.includes('\0') && id.isWellFormed() && isShortId(id) && !isShortenedId(id)
}
