/** Bytes of a result's text at most. An assistant reads all of it. */
export const MAX_RESULT_BYTES = 100_000

/** Bytes that a value takes in a result, as JSON in UTF-8. */
export function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '')
}

/** The longest beginning of a text that takes at most so many bytes as JSON, quotes aside. Characters are kept whole. */
export function fitText(text: string, maxBytes: number): string {
  if (jsonBytes(text) - 2 <= maxBytes) return text
  // A UTF-16 unit takes at least one byte.
  let [fits, tooLong] = [0, Math.min(text.length, maxBytes + 1)]
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1
    if (jsonBytes(text.slice(0, middle)) - 2 <= maxBytes) fits = middle
    else tooLong = middle
  }
  return text.slice(0, isInsidePair(text, fits) ? fits - 1 : fits)
}

function isInsidePair(text: string, index: number): boolean {
  return index > 0 && (text.codePointAt(index - 1) ?? 0) > 0xffff
}

/** A name as it is shown in results: at most so many characters, with … if it was cut. */
export function shortened(name: string | null, characters = 300): string | null {
  if (name === null || name.length <= characters) return name
  const kept = [...name.slice(0, 2 * characters)].slice(0, characters).join('')
  return kept.length < name.length ? `${kept}…` : name
}

/** The first items that take at most so many bytes together. */
export function fitItems<T>(items: readonly T[], maxBytes: number): readonly T[] {
  let bytes = 0
  const end = items.findIndex((item) => {
    bytes += jsonBytes(item) + 1
    return bytes > maxBytes
  })
  return end === -1 ? items : items.slice(0, end)
}

/** Number of characters (code points), as offsets count them. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** An object without its empty fields, which cost an assistant as much as others. */
export function compact(value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const isEmpty = (field: unknown) =>
    field === null || field === undefined || field === '' || (Array.isArray(field) && field.length === 0)
  return Object.fromEntries(Object.entries(value).filter(([, field]) => !isEmpty(field)))
}
