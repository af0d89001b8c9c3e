import { inlineText } from './inline.ts'
import { type Destination, readLinks, type TextLinks, type WholeLink } from './read-links.ts'

/**
 * How links between pages and posts are written: `relative` paths from file to file, `page`: the same without `.md`, `wiki`:
 * `[[path|text]]`, `none`: unchanged.
 */
export const LINK_STYLES = ['relative', 'page', 'wiki', 'none'] as const

/** One of `LINK_STYLES`. */
export type LinkStyle = (typeof LINK_STYLES)[number]

/** The file that a link leads to. */
export interface LinkedFile {
  /** Relative path to the file, encoded for use as the address of a link. */
  readonly address: string
  /** Path from the root of the Markdown tree, without `.md`. */
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
  // Replacing a whole link comes before replacing its address.
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

/** A bare address becomes the text of its link: `https://…/pages/a1` is written as `[https://…/pages/a1](../a--a1.md)`. */
function replacement({ form, url }: Destination, { address }: LinkedFile): string {
  if (form === 'bare') return `[${inlineText(url)}](${address})`
  return form === 'attribute' ? `"${address}"` : address
}

/** Characters that would end the text of a wiki link, or be read as markup by programs without wiki links. */
const NO_WIKI_TEXT = /[[\]|<>`\\*~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u

/**
 * Writes `[[path|text]]`, as Obsidian reads it, with the title if the link has no text. `null` if the text holds markup: the link
 * stays a Markdown link, which Obsidian follows as well.
 */
function wikiLink({ label, inTable }: WholeLink, { note, title }: LinkedFile): string | null {
  if (label === null) return null
  const text = (label ?? '').trim() || (title ?? '').replace(/\s+/g, ' ').trim() || 'Untitled'
  return NO_WIKI_TEXT.test(text) ? null : `[[${note}${inTable ? '\\|' : '|'}${text}]]`
}

/** Characters that would end an address in Markdown or HTML, or have a meaning in it. */
const ESCAPED = /[\0- "%&'()<>?[\\\]^`{|}]/g

/** The relative address of a file from another one; both paths are relative to the same directory. */
export function relativeAddress(from: string, to: string): string {
  if (!from.includes('/')) return addressOf(to)
  const above = from.split('/').slice(0, -1)
  const target = to.split('/')
  let shared = 0
  while (shared < above.length && shared < target.length - 1 && above[shared] === target[shared]) shared++
  return addressOf([...above.slice(shared).map(() => '..'), ...target.slice(shared)].join('/'))
}

/** The relative address of a Markdown file from another one, in a style. Wiki links are for texts only: `wiki` gives a relative path. */
export function fileAddress(from: string, to: string, style: LinkStyle): string {
  if (style !== 'page') return relativeAddress(from, to)
  const address = relativeAddress(from, to.slice(0, -'.md'.length))
  // Without the dot, GitLab resolves the path from the root of the wiki.
  return address.startsWith('.') ? address : `./${address}`
}

/** Encodes a path as the address of a link. */
function addressOf(path: string): string {
  return path.replace(ESCAPED, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}
