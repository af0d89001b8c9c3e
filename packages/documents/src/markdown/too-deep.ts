/**
 * A line that begins with a hundred quotes or lists within one another. Nobody writes that to be read, and the time that it
 * takes to parse grows with the cube of their number.
 */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])){100}|^[ \t]{200,}(?:>|(?:[*+-]|\d{1,9}[.)])[ \t])/m

/** Whether a Markdown text is nested more deeply than is parsed. */
export function isTooDeep(text: string): boolean {
  return TOO_DEEP.test(text)
}
