import type { LinkPlace, LinkPlaces } from './link-places.ts'
import { TooMuchEffort } from './markdown/effort.ts'
import { fileAddress, type LinkedFile, type LinkStyle, rewriteLinks } from './markdown/links.ts'
import { isTooDeep } from './markdown/too-deep.ts'
import { wantedParts } from './markdown/wanted-parts.ts'
import { MARKDOWN_FOLDER } from './path-index.ts'
import type { ConversionIssue } from './tree/head.ts'

/** UTF-16 units at most of the parts of a text in which links may be, for them to be rewritten. So much takes up to 600 MB to parse. */
const MAX_PARSED_LENGTH = 300_000

/** Where a text stands. */
interface TextPlace {
  readonly pid: string
  /** Of its file, relative to `data/`. */
  readonly path: string
}

interface RewrittenText {
  readonly text: string
  /** Left as it is because of its length, or of what it takes to parse. */
  readonly tooLong: boolean
  /** Addresses of projects, pages and posts of the service that the backup does not hold, each once, in their order. */
  readonly missing: readonly string[]
}

/** Turns links between backed-up projects, pages and posts into such that lead from file to file. */
export class LinkRewriter {
  readonly #places: LinkPlaces
  readonly style: LinkStyle

  constructor(places: LinkPlaces, style: LinkStyle) {
    this.#places = places
    this.style = style
  }

  async rewrite(text: string, { pid, path }: TextPlace): Promise<RewrittenText> {
    // Parsing costs a hundred times the search, and most texts have few such links or none.
    const parts = wantedParts(text, (part) => this.#places.mayBeIn(part), MAX_PARSED_LENGTH)
    if (parts === null || parts.some(({ start, end }) => isTooDeep(text.slice(start, end)))) return leftAsItIs(text)
    if (parts.length === 0) return { text, tooLong: false, missing: [] }
    const missing = new Set<string>()
    const resolve = async (url: string) => {
      const found = await this.#places.find(url, pid)
      if (found === 'missing') missing.add(url)
      return found === null || found === 'missing' ? null : linkedFile(path, found, this.style)
    }
    try {
      const rewritten = await rewriteLinks(text, this.style, resolve, parts)
      return { text: rewritten, tooLong: false, missing: [...missing] }
    } catch (error) {
      if (error instanceof TooMuchEffort) return leftAsItIs(text)
      throw error
    }
  }
}

function leftAsItIs(text: string): RewrittenText {
  return { text, tooLong: true, missing: [] }
}

function linkedFile(from: string, { path, title, fragment }: LinkPlace, style: LinkStyle): LinkedFile {
  const note = path.slice(`${MARKDOWN_FOLDER}/`.length, -'.md'.length)
  return { address: fileAddress(from, path, style) + fragment, note, title }
}

/** Reports a text whose links were not rewritten because of its length or complexity. */
export function tooLongIssue(
  pid: string,
  stream: string,
  recordKey: string,
  field: string,
  length: number,
): ConversionIssue {
  return { pid, stream, record_key: recordKey, field, kind: 'links_not_rewritten', original: String(length) }
}

/** Reports a link to a record that has no file. */
export function missingIssue(
  pid: string,
  stream: string,
  recordKey: string,
  field: string,
  url: string,
): ConversionIssue {
  return { pid, stream, record_key: recordKey, field, kind: 'link_target_missing', original: JSON.stringify(url) }
}
