import type { Features } from 'satteri'

/** CommonMark with GitHub's extensions. Texts have no front matter: a rule at their beginning is a rule. */
export const FEATURES: Features = { frontmatter: false }

const OPENS_LONG_HTML = /^[ \t>*+\-\d.)]*<(?:script|pre|style|textarea)(?=[ \t>]|$)/im
const LONG_END_TAG = /<\/(?:script|pre|style|textarea)>/gi

/**
 * A Markdown text, of the same length, with `</PRE>` and the like in lower case: satteri 0.10 looks for these ends of HTML in lower case
 * only. A reader sees the difference in code alone.
 */
export function prepared(text: string): string {
  return OPENS_LONG_HTML.test(text) ? text.replace(LONG_END_TAG, (tag) => tag.toLowerCase()) : text
}
