import { markdownToHtml } from 'satteri'
import { FEATURES } from './satteri.ts'

/** A stretch of a text in UTF-16 units; the end is exclusive. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Space before a destination, with one line break at most. */
const GAP = /[ \t]*(?:(?:\r\n?|\n)[ \t]*)?/y

/** The same across a line break inside quotes, whose marks are repeated on the next line. */
const GAP_IN_QUOTES = /[ \t]*(?:\r\n?|\n)[ \t>]*/y

const IN_ANGLES = /<(?:[^\\<>\r\n]|\\.)*>/y

/** The rest of an inline link behind its destination. */
const AFTER_DESTINATION =
  /^>?(?:[ \t\r\n>]+(?:"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\((?:[^()\\]|\\[\s\S])*\)))?[ \t\r\n>]*\)$/

const OPEN_ANGLE = /\][:(][ \t]*(?:\r\n?|\n)?[ \t>]*<(?:[^<>\\\r\n]|\\[^\r\n])*\\?$/

const LABEL = /^\[(?:[^\\\]]|\\[\s\S])*\]:/

const ESCAPABLE = /[!-/:-@[-`{-~]/
const ESCAPES = /\\([!-/:-@[-`{-~])/g

/**
 * Finds the destination of an inline link: the parser reports the span of the whole link and the resolved address, not the span of
 * the address.
 *
 * @param written The link as written, from `[` to `)`.
 * @param labelEnd Offset behind the last element of its label; only space and `](` follow before the destination.
 * @param url Its address with escapes and character references resolved.
 * @returns The span inside `written`, without angle brackets; `null` if what is there does not resolve to `url`.
 */
export function inlineDestination(written: string, labelEnd: number, url: string): Span | null {
  const at = written.indexOf('](', labelEnd)
  const found = at === -1 ? null : destinationAt(written, at + 2, url)
  return found && AFTER_DESTINATION.test(written.slice(found.end)) ? found : null
}

/** Finds the destination of a definition, `[label]: destination "title"`, as `inlineDestination` does. */
export function definitionDestination(written: string, url: string): Span | null {
  const label = LABEL.exec(written)
  return label && destinationAt(written, label[0].length, url)
}

/** Whether a text ends within an address in angle brackets, if a `>` follows. */
export function isWithinAngles(before: string): boolean {
  return OPEN_ANGLE.test(before)
}

function destinationAt(text: string, at: number, url: string): Span | null {
  for (const start of starts(text, at)) {
    const angles = lengthOf(IN_ANGLES, text, start)
    if (angles === 0 && text[start] === '<') continue
    const end = start + (angles > 0 ? angles : lengthWithoutAngles(text, start))
    const found = angles > 0 ? { start: start + 1, end: end - 1 } : { start, end }
    const inner = text.slice(found.start, found.end)
    if (inner === url || (/[&\\\0]/.test(inner) && resolved(text.slice(start, end)) === url)) return found
  }
  return null
}

/** Offsets where a destination may start. Behind a line break, `>` is either a mark of a quote or part of the destination. */
function* starts(text: string, at: number): Generator<number> {
  const start = at + lengthOf(GAP, text, at)
  yield start
  const most = at + lengthOf(GAP_IN_QUOTES, text, at)
  for (let next = start + 1; next <= most; next++) yield next
}

function lengthOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0].length ?? 0
}

function lengthWithoutAngles(text: string, start: number): number {
  let end = start
  for (let open = 0; end < text.length; end++) {
    const character = text[end] ?? ''
    if (character === '\\' && ESCAPABLE.test(text[end + 1] ?? '')) end++
    else if (character === '(') open++
    else if (character === ')' && --open < 0) break
    else if (character <= ' ' || character === '\x7f') break
  }
  return Math.min(end, text.length) - start
}

/** The address that a destination resolves to. The parser is started only for what takes its tables, as each start takes time. */
function resolved(destination: string): string | undefined {
  if (!/[&\0]/.test(destination) && !destination.startsWith('<')) return destination.replace(ESCAPES, '$1')
  let url: string | undefined
  const link = (node: { readonly url: string }) => {
    url = node.url
  }
  markdownToHtml(`[](${destination})`, { features: FEATURES, mdastPlugins: [{ name: 'url', link }] })
  return url
}
