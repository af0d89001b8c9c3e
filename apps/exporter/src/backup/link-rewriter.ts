import { findLinks, type LinkPattern, type LinkTarget, linkedProject, linkTargets } from '@collab-etl/core'
import { type LinkedFile, type LinkStyle, relativeAddress, rewriteLinks } from '../markdown/links.ts'
import type { BackupLoss } from '../tree/head.ts'
import type { Atlas, Place } from './atlas.ts'

/**
 * UTF-16 units of a text at most for its links to be rewritten. A text of this length full of links takes 7 s and 400 MB
 * to parse; one of three times the length takes ten times as long.
 */
const MAX_PARSED_LENGTH = 300_000

/** The end of an address that may go along to a file. */
const FRAGMENT = /#[\w.~%-]+$/

/** What a text without a link to a project does not hold; `findLinks` looks for the others. */
const MAY_HOLD_PROJECT = /projects?\/[^\s/]/i

/** What a text without a link in HTML to a page or post does not hold; `findLinks` knows those alone that are in quotes. */
const MAY_HOLD_HTML = [/<a(?:rea)?\s/i, /(?:post|page)s?\//i]

/** Where a text stands. */
export interface TextPlace {
  readonly pid: string
  /** Of its file, relative to `data/`. */
  readonly path: string
}

export interface RewrittenText {
  readonly text: string
  /** Left as it is because of its length. */
  readonly tooLong: boolean
  /** Addresses of pages, posts and projects of the service that the backup does not hold, each once, in their order. */
  readonly missing: readonly string[]
}

export interface LinkRewriterOptions {
  /** Further forms of links, from the config file. */
  readonly patterns: readonly LinkPattern[]
  readonly style: LinkStyle
  /** The address of the service: what lies there is its own, whether the backup holds it or not. */
  readonly baseUrl: string
}

/** What an address names: a page, a post, or a project. */
interface Named {
  readonly kind: 'page' | 'post' | 'project'
  readonly id: string
  readonly pid: string
  /** Whether it names the project in which it is, or the host of the service, or none. */
  readonly isOwn: boolean
}

/** Turns links between backed-up projects, pages and posts into such that lead from file to file. */
export class LinkRewriter {
  readonly #atlas: Atlas
  readonly #options: LinkRewriterOptions
  readonly #host: string | null

  constructor(atlas: Atlas, options: LinkRewriterOptions) {
    this.#atlas = atlas
    this.#options = options
    this.#host = hostOf(options.baseUrl)
  }

  async rewrite(text: string, place: TextPlace): Promise<RewrittenText> {
    // Parsing costs a hundred times the search, and most texts have no such links.
    if (!this.#mayHoldLinks(text)) return { text, tooLong: false, missing: [] }
    if (text.length > MAX_PARSED_LENGTH) return { text, tooLong: true, missing: [] }
    const missing = new Set<string>()
    const rewritten = await rewriteLinks(text, this.#options.style, async (url) => {
      const named = this.#namedBy(url, place)
      if (!named) return null
      const found = await this.#placeOf(named)
      if (found) return linkedFile(place, found, fragmentOf(url, named))
      if (named.isOwn) missing.add(url)
      return null
    })
    return { text: rewritten, tooLong: false, missing: [...missing] }
  }

  #mayHoldLinks(text: string): boolean {
    return (
      MAY_HOLD_PROJECT.test(text) ||
      MAY_HOLD_HTML.every((pattern) => pattern.test(text)) ||
      findLinks(text, this.#options.patterns).some((target) => targetKind(target) !== null)
    )
  }

  #namedBy(url: string, place: TextPlace): Named | null {
    // An address may name several things, one in the other (`posts/1/files/2`): it leads to the last.
    const usual = linkTargets(url).at(-1)
    const isAtHome = () => hostOf(url) === null || hostOf(url) === this.#host
    if (usual) {
      const { pid, id } = usual
      const kind = targetKind(usual)
      const isOwn = (pid !== null && this.#atlas.folderOf(pid) !== null) || isAtHome()
      return kind && { kind, id, pid: pid ?? place.pid, isOwn }
    }
    const configured = findLinks(url, this.#options.patterns).at(-1)
    if (configured) {
      const kind = targetKind(configured)
      return kind && { kind, id: configured.id, pid: configured.pid ?? place.pid, isOwn: true }
    }
    const pid = linkedProject(url)
    return pid === null ? null : { kind: 'project', id: pid, pid, isOwn: isAtHome() }
  }

  async #placeOf({ kind, id, pid }: Named): Promise<Place | null> {
    return kind === 'project' ? this.#atlas.placeOfIndex(pid) : await this.#atlas.placeOf(pid, kind, id)
  }
}

function targetKind({ kind }: LinkTarget): 'page' | 'post' | null {
  return kind === 'file' ? null : kind
}

function linkedFile({ path }: TextPlace, found: Place, fragment: string): LinkedFile {
  const note = found.path.replace(/^markdown\//, '').replace(/\.md$/, '')
  return { address: relativeAddress(path, found.path) + fragment, note, title: found.title }
}

/** The fragment of an address whose path it is that leads somewhere. */
function fragmentOf(url: string, { kind, id }: Named): string {
  const hash = url.indexOf('#')
  if (hash === -1) return ''
  const path = url.slice(0, hash)
  const isByPath = kind === 'project' ? linkedProject(path) === id : linkTargets(path).at(-1)?.id === id
  return (isByPath && FRAGMENT.exec(url)?.[0]) || ''
}

/** The host of an address, or `null` where it names none. */
function hostOf(url: string): string | null {
  if (!/^(?:[a-z][a-z0-9+.-]*:)?\/\//i.test(url)) return null
  return URL.parse(url, 'https://none.invalid')?.hostname ?? ''
}

/** The loss of a text that was too long to look for its links. */
export function tooLongLoss(pid: string, stream: string, recordKey: string, field: string, length: number): BackupLoss {
  return { pid, stream, record_key: recordKey, field, kind: 'links_not_rewritten', original: String(length) }
}

/** The loss of what a link leads to. */
export function missingLoss(pid: string, stream: string, recordKey: string, field: string, url: string): BackupLoss {
  return { pid, stream, record_key: recordKey, field, kind: 'link_target_missing', original: JSON.stringify(url) }
}
