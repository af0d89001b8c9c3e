/** What begins something within a line of Markdown or HTML; a backslash before it takes that from it. */
const SPECIAL = /[\\`*_[\]<>#|~]|&(?=#?\w+;)/g

/** Line breaks and other characters that would end a line, or show text in another order than it has. */
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

/**
 * A service's text, such as a title or a name, as part of a line of Markdown that shows its characters and does nothing
 * else. Not for the beginning of a line, where `-` or `1.` would count too.
 */
export function inlineText(text: string): string {
  return text.replace(BREAKS, ' ').trim().replace(SPECIAL, '\\$&')
}

/** A value in a code span, with any number of backticks. */
export function inlineCode(text: string): string {
  const line = text.replace(BREAKS, ' ')
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const padding = /^[` ]|[` ]$/.test(line) ? ' ' : ''
  return `${fence}${padding}${line}${padding}${fence}`
}
