import { findLinks, type LinkPattern, type LinkTarget, linkTargets } from '@collab-etl/core'
import { relativeAddress, rewriteLinks } from '../markdown/links.ts'
import type { BackupLoss } from '../tree/head.ts'
import type { Atlas } from './atlas.ts'

/**
 * UTF-16 units of a text at most for its links to be rewritten. A text of this length full of links takes 7 s and 400 MB
 * to parse; one of three times the length takes ten times as long.
 */
const MAX_PARSED_LENGTH = 300_000

/** The end of an address that may go along to a file. */
const FRAGMENT = /#[\w.~%-]+$/

/** Where a text stands. */
export interface TextPlace {
  readonly pid: string
  /** Of its file, relative to `data/`. */
  readonly path: string
}

/** Turns links between backed-up pages and posts into relative paths. */
export class LinkRewriter {
  readonly #atlas: Atlas
  readonly #patterns: readonly LinkPattern[]

  constructor(atlas: Atlas, patterns: readonly LinkPattern[]) {
    this.#atlas = atlas
    this.#patterns = patterns
  }

  /** The text with its links rewritten; `tooLong` where it was left as it is because of its length. */
  async rewrite(text: string, place: TextPlace): Promise<{ text: string; tooLong: boolean }> {
    // Parsing costs a hundred times the search: most texts link to nothing that is backed up.
    if (!(await this.#mayHoldLinks(text, place))) return { text, tooLong: false }
    if (text.length > MAX_PARSED_LENGTH) return { text, tooLong: true }
    return { text: await rewriteLinks(text, (url) => this.#addressOf(url, place)), tooLong: false }
  }

  async #mayHoldLinks(text: string, place: TextPlace): Promise<boolean> {
    for (const target of findLinks(text, this.#patterns)) {
      if ((await this.#pathOf(target, place)) !== null) return true
    }
    return false
  }

  async #addressOf(url: string, place: TextPlace): Promise<string | null> {
    // An address may name several things, one in the other (`posts/1/files/2`): it leads to the last.
    const target = linkTargets(url).at(-1) ?? findLinks(url, this.#patterns).at(-1)
    if (!target) return null
    const path = await this.#pathOf(target, place)
    if (path === null) return null
    const hash = url.indexOf('#')
    const leadsByPath = hash !== -1 && linkTargets(url.slice(0, hash)).at(-1)?.id === target.id
    return relativeAddress(place.path, path) + ((leadsByPath && FRAGMENT.exec(url)?.[0]) || '')
  }

  async #pathOf({ kind, id, pid }: LinkTarget, place: TextPlace): Promise<string | null> {
    return kind === 'file' ? null : await this.#atlas.pathOf(pid ?? place.pid, kind, id)
  }
}

/** The loss of a text that was too long to look for its links. */
export function tooLongLoss(pid: string, stream: string, recordKey: string, field: string, length: number): BackupLoss {
  return { pid, stream, record_key: recordKey, field, kind: 'links_not_rewritten', original: String(length) }
}
