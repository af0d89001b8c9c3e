import { mayHoldText } from '@collab-etl/contract/bare-address'
import { oneLine } from '../one-line.ts'
import { relativePath } from '../path-index.ts'
import { addressText, besideAddress, sameAddress } from './bare-links.ts'
import { isWithinAngles, type Span } from './destination.ts'
import { type BareLink, type Destination, MAX_LOOK_AROUND, readLinks, type TextLinks } from './read-links.ts'

/**
 * How links between pages and posts are written: `relative` paths from file to file, `page`: the same without `.md`, `wiki`:
 * `[[path|text]]`, `none`: unchanged.
 */
export const LINK_STYLES = ['relative', 'page', 'wiki', 'none'] as const

/** One of `LINK_STYLES`. */
export type LinkStyle = (typeof LINK_STYLES)[number]

/** The file that a link leads to. */
export interface LinkedFile {
  /** Relative path to the file with the fragment, encoded for use as the address of a link. */
  readonly address: string
  /** Path from the root of the Markdown tree, without `.md`. */
  readonly note: string
  /** With its `#`, as in the address that leads here; empty or missing if there is none. */
  readonly fragment?: string
  readonly title: string | null
}

/** The file that an address leads to; `null` leaves the link as it is. */
export type Resolve = (url: string) => Promise<LinkedFile | null>

/** Writes the links of a text in a style; every other byte stays. Each address is resolved, in the order of the text, in every style. */
export async function rewriteLinks(text: string, style: LinkStyle, resolve: Resolve): Promise<string> {
  const links = readLinks(text, { labels: style === 'wiki' })
  const files = new Map<string, LinkedFile>()
  for (const { url } of links.destinations) {
    const file = files.get(url) ?? (await resolve(url))
    if (file) files.set(url, file)
  }
  return style === 'none' || files.size === 0 ? text : edited(text, edits(text, links, style, files))
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Text after `]]` that would change how the link is read, and text before `[[` that would make it a definition, an attribute or part of an address. */
const BEHIND_BRACKET = /^(?:[([]|www\.)/i
const BEFORE_BRACKET =
  /(?:\]:[ \t]*(?:\r\n?|\n)?[ \t>]*[^ \t\r\n]*|=[ \t]*(?:(?:\r\n?|\n)[ \t>]*)?[^\s"'<>]*|(?:https?:\/\/|www\.)[^\s<]*)$/i

/** Whether `[[…]]` in this place would not be read as a wiki link alone. */
function hasOtherMeaning(text: string, { start, end }: Span): boolean {
  if (BEHIND_BRACKET.test(text.slice(end, end + 4))) return true
  const before = text.slice(Math.max(0, start - MAX_LOOK_AROUND), start)
  return isWithinAngles(before) || BEFORE_BRACKET.test(before.slice(-100))
}

function edits(
  text: string,
  { destinations, wholes }: TextLinks,
  style: LinkStyle,
  files: ReadonlyMap<string, LinkedFile>,
): Edit[] {
  const made: Edit[] = []
  const inTables = new Set<number>()
  for (const whole of style === 'wiki' ? wholes : []) {
    if (whole.inTable) inTables.add(whole.start)
    const file = files.get(whole.url)
    if (whole.label === undefined || hasOtherMeaning(text, whole)) continue
    const link = file && wikiLink(whole.label, file, whole.inTable)
    if (link) made.push({ start: whole.start, end: whole.end, text: link })
  }
  for (const { url, form, start, end } of destinations) {
    const file = files.get(url)
    if (file && form !== 'bare')
      made.push({ start, end, text: form === 'attribute' ? `"${file.address}"` : file.address })
  }
  const linkOf = (written: string, address: Span, file: LinkedFile) =>
    (style === 'wiki' &&
      !hasOtherMeaning(text, address) &&
      wikiLink(mayHoldText(written) ? written : '', file, inTables.has(address.start))) ||
    `[${addressText(written)}](${file.address})`
  for (const [link, addresses] of Map.groupBy(destinations, ({ within }) => within)) {
    if (link === undefined || link.mustRemain || !addresses.some(({ url }) => files.has(url))) continue
    made.push(
      bareEdit(text, link, addresses, (written, address) => {
        const file = files.get(address.url)
        return file ? linkOf(written, address, file) : sameAddress(written, address.url)
      }),
    )
  }
  // Replacing a whole link comes before replacing its address.
  return made.sort((a, b) => a.start - b.start || b.end - a.end)
}

/** Writes a bare address as a link, and escapes the text beside it, which is no longer part of a link. */
function bareEdit(
  text: string,
  { start, end }: BareLink,
  addresses: readonly Destination[],
  linkOf: (written: string, address: Destination) => string,
): Edit {
  const changed = changesBracket(text, start)
  let [at, written] = [start, changed && `\\${changed}`]
  for (const address of addresses) {
    const own = text.slice(address.start, address.end).replace(/^<|>$/g, '')
    written += besideAddress(text.slice(at, address.start)) + linkOf(own, address)
    at = address.end
  }
  return { start: start - changed.length, end, text: written + besideAddress(text.slice(at, end)) }
}

function edited(text: string, made: readonly Edit[]): string {
  const parts: string[] = []
  let end = 0
  for (const edit of made) {
    if (edit.start < end) continue
    parts.push(text.slice(end, edit.start), edit.text)
    end = edit.end
  }
  return parts.join('') + text.slice(end)
}

/** Characters that would end the text of a wiki link, or be read as markup by programs without wiki links. */
const NO_WIKI_TEXT = /[[\]|<>`\\*~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u

/** The character before a place, `!` or `\`, that would turn a link there into an image or plain text; empty if there is none. */
function changesBracket(text: string, at: number): string {
  const last = text[at - 1] ?? ''
  if (last !== '!' && last !== '\\') return ''
  const end = last === '!' ? at - 1 : at
  let start = end
  while (text[start - 1] === '\\') start--
  // Of two backslashes, one escapes the other.
  const isEscaped = (end - start) % 2 === 1
  return isEscaped === (last === '\\') ? last : ''
}

/** Characters that the place in a wiki link cannot have. */
const NO_WIKI_FRAGMENT = /[\p{Cc}[\]|#^\\`<>*]/u

/**
 * Writes `[[path#place|text]]`, as Obsidian reads it, with the title if the link has no text. `null` if the text holds markup: the link
 * stays a Markdown link, which Obsidian follows as well.
 */
function wikiLink(label: string | null, { note, title, fragment = '' }: LinkedFile, inTable: boolean): string | null {
  if (label === null) return null
  const text = label.trim() || oneLine(title ?? '') || 'Untitled'
  const place = decoded(fragment.slice(1))
  if (NO_WIKI_TEXT.test(text) || NO_WIKI_FRAGMENT.test(place)) return null
  return `[[${note}${place && `#${place}`}${inTable ? '\\|' : '|'}${text}]]`
}

/** A text without percent-encoding; as it is if that cannot be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A link from one file of an index to another; both paths are relative to the Markdown tree. A title with markup is a Markdown link. */
export function fileLink(title: string, from: string, to: string, style: LinkStyle): string {
  const file = { address: fileAddress(from, to, style), note: to.slice(0, -'.md'.length), title }
  return (style === 'wiki' && wikiLink(title, file, false)) || `[${title}](${file.address})`
}

/** Characters that would end an address in Markdown or HTML, or have a meaning in it. */
const ESCAPED = /[\0- "%&'()<>?[\\\]^`{|}]/g
const ESCAPED_IN_FRAGMENT = /[\0- "&'()<>[\\\]^`{|}]/g

/** The relative address of a file from another one; both paths are relative to the same directory. */
export function relativeAddress(from: string, to: string): string {
  return encoded(relativePath(from, to), ESCAPED)
}

/** The relative address of a Markdown file from another one, in a style. Wiki links are for texts only: `wiki` gives a relative path. */
export function fileAddress(from: string, to: string, style: LinkStyle): string {
  if (style !== 'page') return relativeAddress(from, to)
  const address = relativeAddress(from, to.slice(0, -'.md'.length))
  // Without the dot, GitLab resolves the path from the root of the wiki.
  return address.startsWith('.') ? address : `./${address}`
}

/** Encodes a fragment, which may be encoded already, as the end of an address. */
export function fragmentAddress(fragment: string): string {
  return encoded(fragment, ESCAPED_IN_FRAGMENT)
}

function encoded(text: string, characters: RegExp): string {
  return text.replace(characters, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
