import { type Markup, oneLine } from '@collab-etl/documents/html/parts'

/** The text of others as one line of at most `most` characters. */
export function plain(text: string, most: number): string {
  // cut before anything else, as it may be very long
  const line = oneLine(text.slice(0, 4 * most).toWellFormed())
  const characters = [...line]
  return characters.length <= most && text.length <= 4 * most ? line : `${characters.slice(0, most - 1).join('')}…`
}

/** The first items whose markup fits into a number of bytes, and how many are left out. */
export function fitting<T>(
  items: readonly T[],
  maxBytes: number,
  markupOf: (item: T) => Markup,
): { readonly shown: readonly Markup[]; readonly left: number } {
  const shown: Markup[] = []
  let bytes = 0
  for (const item of items) {
    const markup = markupOf(item)
    bytes += Buffer.byteLength(String(markup))
    if (bytes > maxBytes) break
    shown.push(markup)
  }
  return { shown, left: items.length - shown.length }
}
