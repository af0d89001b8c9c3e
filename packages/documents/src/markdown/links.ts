import { inlineText } from './inline.ts'
import { type Destination, readLinks, type TextLinks, type WholeLink } from './read-links.ts'

/**
 * How links between pages and posts are written: as paths from file to file, the same without `.md`, as `[[path|text]]`, or as
 * they are.
 */
export const LINK_STYLES = ['relative', 'page', 'wiki', 'none'] as const

/** One of `LINK_STYLES`. */
export type LinkStyle = (typeof LINK_STYLES)[number]

/** What a link leads to in the backup. */
export interface LinkedFile {
  /** The way to its file, as a link's address. */
  readonly address: string
  /** Its path from the top of the Markdown tree, without `.md`. */
  readonly note: string
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
  return style === 'none' || files.size === 0 ? text : edited(text, edits(links, style, files))
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

function edits({ destinations, wholes }: TextLinks, style: LinkStyle, files: ReadonlyMap<string, LinkedFile>): Edit[] {
  const made: Edit[] = []
  for (const whole of style === 'wiki' ? wholes : []) {
    const file = files.get(whole.url)
    const text = file && wikiLink(whole, file)
    if (text) made.push({ start: whole.start, end: whole.end, text })
  }
  for (const destination of destinations) {
    const file = files.get(destination.url)
    if (file) made.push({ start: destination.start, end: destination.end, text: replacement(destination, file) })
  }
  // A link that is replaced as a whole begins before its address.
  return made.sort((a, b) => a.start - b.start || b.end - a.end)
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

/** A bare address keeps itself as the text of its link: `https://…/pages/a1` turns into `[https://…/pages/a1](../a--a1.md)`. */
function replacement({ form, url }: Destination, { address }: LinkedFile): string {
  if (form === 'bare') return `[${inlineText(url)}](${address})`
  return form === 'attribute' ? `"${address}"` : address
}

/** What ends the text of a wiki link, or turns into something else where such links are not known. */
const NO_WIKI_TEXT = /[[\]|<>`\\*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u

/**
 * `[[path|text]]`, as Obsidian reads it; a link without a text of its own has the title. `null` where the text is more than
 * such a link can show: it stays a link of Markdown, which Obsidian follows too.
 */
function wikiLink({ label, inTable }: WholeLink, { note, title }: LinkedFile): string | null {
  if (label === null) return null
  const text = (label ?? '').trim() || (title ?? '').replace(/\s+/g, ' ').trim() || 'Untitled'
  return NO_WIKI_TEXT.test(text) ? null : `[[${note}${inTable ? '\\|' : '|'}${text}]]`
}

/** What would end an address in Markdown or HTML, or is more than a character in it. */
const ESCAPED = /[\0- "%&'()<>?[\\\]^`{|}]/g

/** The way from one file to another, both given from the same folder, as a link's address. */
export function relativeAddress(from: string, to: string): string {
  const above = from.split('/').slice(0, -1)
  const target = to.split('/')
  let shared = 0
  while (shared < above.length && shared < target.length - 1 && above[shared] === target[shared]) shared++
  return addressOf([...above.slice(shared).map(() => '..'), ...target.slice(shared)].join('/'))
}

/** The way from one Markdown file to another in a style; where that has addresses of its own, they are for texts alone. */
export function fileAddress(from: string, to: string, style: LinkStyle): string {
  if (style !== 'page') return relativeAddress(from, to)
  const address = relativeAddress(from, to.slice(0, -'.md'.length))
  // Without the dot, GitLab reads it from the top of the wiki.
  return address.startsWith('.') ? address : `./${address}`
}

/** A path as a link's address. */
function addressOf(path: string): string {
  return path.replace(ESCAPED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
