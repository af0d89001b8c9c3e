import { inlineText } from './inline.ts'

/** Whether a file begins with its title as heading: if its text does not begin with one (`auto`), or never. */
export const TITLE_HEADINGS = ['auto', 'never'] as const

/** One of `TITLE_HEADINGS`. */
export type TitleHeading = (typeof TITLE_HEADINGS)[number]

/** `# Title`, `<h1>`, or a line above `===`. */
const HEADING = /^(?:#(?:[ \t\r\n]|$)|<h1[\s>]|[^\r\n]*(?:\r\n|\r|\n) {0,3}=+[ \t]*(?:[\r\n]|$))/i

/** Lines above `===` of which none begins a quotation, list, heading or block of code. */
const LONG_HEADING =
  /^(?:[ \t]*(?!```[^`\r\n]*[\r\n]|~~~|>|#{1,6}[ \t\r\n]|[-*+][ \t\r\n])[^\s][^\r\n]*(?:\r\n|\r|\n)){2,} {0,3}=+[ \t]*(?:[\r\n]|$)/

/** Spaces before a heading at most: more, or a tab, make it code. */
const MAX_INDENT = 3

/** The title as the heading that goes before a text, with the blank line behind it; empty if the text has one, or if there is no title. */
export function titleHeading(title: string | null, text: string): string {
  const words = inlineText(title ?? '')
  return words === '' || beginsWithHeading(text) ? '' : `# ${words}\n\n`
}

/** A link definition on one line, which is not shown: what comes after it is the beginning. */
const DEFINITION =
  /^\[(?=[^\s\]])[^\][\r\n\\]{1,900}\]:[ \t]*[^\s\0-\x20\x7F<()][^\s\0-\x20\x7F()]*[ \t]*(?:\r\n|\r|\n)/

/** Whether a text begins with a heading of the first level. */
function beginsWithHeading(text: string): boolean {
  let rest = text
  for (;;) {
    const start = rest.search(/[^ \t\r\n\uFEFF]/)
    if (start === -1 || isIndented(rest.slice(0, start))) return false
    rest = rest.slice(start)
    const [definition] = DEFINITION.exec(rest) ?? []
    if (definition === undefined) return HEADING.test(rest) || LONG_HEADING.test(rest)
    rest = rest.slice(definition.length)
  }
}

/** Whether the line that follows these spaces and line ends is code. */
function isIndented(space: string): boolean {
  const line =
    space
      .replace(/^\uFEFF/, '')
      .split(/[\r\n]/)
      .at(-1) ?? ''
  return line.length > MAX_INDENT || line.includes('\t')
}
