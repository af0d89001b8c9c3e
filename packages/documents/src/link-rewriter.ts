import { decodeHTML } from 'entities'
import type { LinkPlace, LinkPlaces } from './link-places.ts'
import { fileAddress, fragmentAddress, type LinkedFile, type LinkStyle, rewriteLinks } from './markdown/links.ts'
import { isWithinParseBudget } from './markdown/parse-budget.ts'
import { MARKDOWN_FOLDER } from './path-index.ts'
import type { ListedIssue } from './tree/head.ts'

/** The file of a text. */
interface TextPlace {
  readonly pid: string
  /** Relative to `data/`. */
  readonly path: string
}

interface RewrittenText {
  readonly text: string
  /** Whether the text may hold links and is left as it is because parsing it would exceed the parse budget. */
  readonly tooLong: boolean
  /** Addresses of the service's projects, pages, posts and files that the backup does not hold, each once, in the order of the text. */
  readonly missing: readonly string[]
  /** All addresses that may be of the service, each once. */
  readonly links: readonly string[]
}

/** Rewrites links between projects, pages, posts and files of a backup as links from file to file. */
export class LinkRewriter {
  readonly #places: LinkPlaces
  readonly style: LinkStyle

  constructor(places: LinkPlaces, style: LinkStyle) {
    this.#places = places
    this.style = style
  }

  async rewrite(text: string, { pid, path }: TextPlace): Promise<RewrittenText> {
    // Parsing costs much more than the search, and most texts hold no such link.
    if (!this.#mayHoldLinks(text)) return { text, tooLong: false, missing: [], links: [] }
    if (!isWithinParseBudget(text)) return { text, tooLong: true, missing: [], links: [] }
    const missing = new Set<string>()
    const links = new Set<string>()
    const resolve = async (url: string) => {
      const found = await this.#places.find(url, pid)
      links.add(url)
      if (found?.place === 'missing') missing.add(url)
      return found === null || found.place === 'missing' ? null : linkedFile(path, found.place, this.style)
    }
    const rewritten = await rewriteLinks(text, this.style, resolve)
    return { text: rewritten, tooLong: false, missing: [...missing], links: [...links] }
  }

  /** Addresses may be written with escapes and character references, and bare ones without their scheme. */
  #mayHoldLinks(text: string): boolean {
    if (this.#places.mayBeIn(text)) return true
    if (!/[&\\]|www\./i.test(text)) return false
    const resolved = decodeHTML(text.replace(/\\(?=[!-/:-@[-`{-~])/g, ''))
    return this.#places.mayBeIn(resolved.replace(/www\./gi, 'http://$&'))
  }
}

function linkedFile(from: string, { path, title, fragment }: LinkPlace, style: LinkStyle): LinkedFile {
  const note = path.slice(`${MARKDOWN_FOLDER}/`.length, -'.md'.length)
  return { address: fileAddress(from, path, style) + fragmentAddress(fragment), note, fragment, title }
}

/** Reports a text whose links are not rewritten because it exceeds the parse budget; `length` in UTF-16 units. */
export function tooLongIssue(
  pid: string,
  stream: string,
  recordKey: string,
  field: string,
  length: number,
): ListedIssue {
  return { pid, stream, record_key: recordKey, field, kind: 'links_not_rewritten', original: String(length) }
}

/** Reports a link to a record that has no file. */
export function missingIssue(pid: string, stream: string, recordKey: string, field: string, url: string): ListedIssue {
  return { pid, stream, record_key: recordKey, field, kind: 'link_target_missing', original: JSON.stringify(url) }
}
