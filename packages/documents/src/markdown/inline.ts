/** Characters with a meaning inside a line of Markdown or HTML; a backslash escapes them. */
const SPECIAL = /[\\`*_[\]<>#|~]|&(?=#?\w+;)/g

/** Characters that would end the line, or display its text in another order. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * Escapes a text of the service, such as a title, for use inside a line of Markdown. Not for the start of a line, where `-`
 * and `1.` would also need escapes.
 */
export function inlineText(text: string): string {
  return escaped(text.replace(BREAKS, ' ').trim())
}

/** A text on one line with a backslash before each character that has a meaning in Markdown or HTML. */
export function escaped(text: string): string {
  return text.replace(SPECIAL, '\\$&')
}

/** A value in a code span, with any number of backticks. */
export function inlineCode(text: string): string {
  const line = text.replace(BREAKS, ' ')
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const padding = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}
