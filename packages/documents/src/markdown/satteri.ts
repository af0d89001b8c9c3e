import type { Features } from 'satteri'

/** CommonMark with GitHub's extensions. Texts have no front matter: a rule at their beginning is a rule. */
export const FEATURES: Features = { frontmatter: false }

const OPENS_LONG_HTML = /^[ \t>*+\-\d.)]*<(?:script|pre|style|textarea)(?=[ \t>]|$)/im
const LONG_END_TAG = /<\/(?:script|pre|style|textarea)>/gi

/** A tag that CommonMark reads as HTML, with a value without quotes that holds a slash. */
const TAG_WITH_BARE_VALUE =
  /<[A-Za-z][A-Za-z\d-]*(?:\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?)*\s*\/?>/g
const VALUE = /=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+)/g

/** A Markdown text for the parser. */
interface PreparedText {
  /** Of the same length as the text. */
  readonly source: string
  /** What the parser has read, as it was in the text. */
  readonly written: (read: string) => string
}

/**
 * A Markdown text without what satteri 0.10 misreads. It ends a value without quotes at a slash, so that `<a href=/x>` is no tag: another
 * character takes the place of the slash. It looks for the ends of HTML in lower case only: `</PRE>` becomes `</pre>`, which a reader sees in code
 * alone.
 */
export function prepared(text: string): PreparedText {
  const lower = OPENS_LONG_HTML.test(text) ? text.replace(LONG_END_TAG, (tag) => tag.toLowerCase()) : text
  if (!/=[^\s"'=<>`/]*\//.test(lower)) return { source: lower, written: (read) => read }
  const standIn = unusedIn(lower)
  const source = lower.replace(TAG_WITH_BARE_VALUE, (tag) =>
    tag.replace(VALUE, (value) => (/["']$/.test(value) ? value : value.replaceAll('/', standIn))),
  )
  return { source, written: (read) => read.replaceAll(standIn, '/').replaceAll(encodeURIComponent(standIn), '/') }
}

/** The first character for private use that a text does not hold, not even encoded. */
function unusedIn(text: string): string {
  for (let code = 0xe000; ; code++) {
    const character = String.fromCharCode(code)
    if (!text.includes(character) && !text.includes(encodeURIComponent(character))) return character
  }
}
