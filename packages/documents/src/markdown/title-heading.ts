import { inlineText } from './inline.ts'

/** Whether a file begins with its title as heading: if its text does not begin with one (`auto`), or never. */
export const TITLE_HEADINGS = ['auto', 'never'] as const

/** One of `TITLE_HEADINGS`. */
export type TitleHeading = (typeof TITLE_HEADINGS)[number]

/** `# Title`, `<h1>`, or a line above `===`. */
const HEADING = /^(?:#(?:[ \t\r\n]|$)|<h1[\s>]|[^\r\n]*(?:\r\n|\r|\n) {0,3}=+[ \t]*(?:[\r\n]|$))/i

/** Spaces before a heading at most: more, or a tab, make it code. */
const MAX_INDENT = 3

/** The title as the heading that goes before a text, with the blank line behind it; empty if the text has one, or if there is no title. */
export function titleHeading(title: string | null, text: string): string {
  const words = inlineText(title ?? '')
  return words === '' || beginsWithHeading(text) ? '' : `# ${words}\n\n`
}

/** Whether a text begins with a heading of the first level. */
function beginsWithHeading(text: string): boolean {
  const start = text.search(/[^ \t\r\n\uFEFF]/)
  if (start === -1) return false
  const line =
    text
      .slice(0, start)
      .replace(/^\uFEFF/, '')
      .split(/[\r\n]/)
      .at(-1) ?? ''
  return line.length <= MAX_INDENT && !line.includes('\t') && HEADING.test(text.slice(start))
}
