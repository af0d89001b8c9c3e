/** A value in a template. */
type Value = Markup | string | number | null | false | readonly Markup[]

/** Safe HTML: our own markup, and escaped texts. */
export class Markup {
  readonly #text: string

  /** `text` must be HTML that is safe already; anything else goes through `html`. */
  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}

/** A template whose values are escaped, unless they are markup themselves; `null` and `false` give nothing. */
export function html(pieces: TemplateStringsArray, ...values: readonly Value[]): Markup {
  let text = pieces[0] ?? ''
  for (const [index, value] of values.entries()) text += textOf(value) + (pieces[index + 1] ?? '')
  return new Markup(text)
}

/** Several pieces of markup as one, with a text between them. */
export function joined(pieces: Iterable<Markup>, separator = ''): Markup {
  return new Markup([...pieces].join(escaped(separator)))
}

function textOf(value: Value): string {
  if (value === null || value === false) return ''
  if (value instanceof Markup) return value.toString()
  return typeof value === 'object' ? value.join('') : escaped(String(value))
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Controls that no text needs: HTML forbids them, and those that reorder text can disguise it. */
const CONTROLS = /[[\p{Cc}\p{Noncharacter_Code_Point}\p{Bidi_Control}]--[\t\n\r]]+/gv

/** Texts in which nothing is replaced: most of them. Replacing would take much longer than this check. */
const PLAIN = { controls: /^[ -~\t\n\r]*$/, escapes: /^[ !#-%(-;=?-~\t\n\r]*$/ } as const

/** A text of a record with such controls as spaces. `html` does it by itself. */
export function withoutControls(text: string): string {
  return PLAIN.controls.test(text) ? text : text.replace(CONTROLS, ' ')
}

function escaped(text: string): string {
  return PLAIN.escapes.test(text)
    ? text
    : withoutControls(text).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '')
}
