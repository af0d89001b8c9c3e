/** Markup that is safe to insert. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Markup | string | number | null | false | readonly Value[]

/** Characters that control a terminal or reorder text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/** Markup from a template. Texts are escaped and lose characters that reorder what is beside them; `null` and `false` insert nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  return new Markup(parts.map((part, index) => part + inserted(values[index] ?? null)).join(''))
}

function inserted(value: Value): string {
  if (value instanceof Markup) return value.text
  if (Array.isArray(value)) return value.map(inserted).join('')
  return value === null || value === false ? '' : escaped(String(value))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replace(CONTROLS, ' ').replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}

/** The text of others as one line of at most `most` characters. */
export function plain(text: string, most: number): string {
  // cut before anything else, as it may be very long
  const line = text
    .slice(0, 4 * most)
    .toWellFormed()
    .replace(/\s+/g, ' ')
    .trim()
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
    bytes += Buffer.byteLength(markup.text)
    if (bytes > maxBytes) break
    shown.push(markup)
  }
  return { shown, left: items.length - shown.length }
}
