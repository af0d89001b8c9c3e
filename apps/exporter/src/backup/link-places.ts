import { findLinks, type LinkPattern, type LinkTarget, linkTargets } from '@collab-etl/core'
import type { Atlas } from './atlas.ts'

/** The end of an address that may go along to a file. */
const FRAGMENT = /#[\w.~%-]+$/

/** Where an address leads in the backup. */
export interface LinkPlace {
  /** Of the record's Markdown file, relative to `data/`; other formats have the same names. */
  readonly path: string
  /** With its `#`; empty where there is none that may go along. */
  readonly fragment: string
}

/** Knows which addresses lead to something that the backup holds, whatever their host. */
export class LinkPlaces {
  readonly #atlas: Atlas
  readonly #patterns: readonly LinkPattern[]

  constructor(atlas: Atlas, patterns: readonly LinkPattern[]) {
    this.#atlas = atlas
    this.#patterns = patterns
  }

  /** Where an address in a text of a project leads; `null` if to nothing that is backed up. */
  async placeOf(url: string, pid: string): Promise<LinkPlace | null> {
    // An address may name several things, one in the other (`posts/1/files/2`): it leads to the last.
    const target = linkTargets(url).at(-1) ?? findLinks(url, this.#patterns).at(-1)
    if (!target) return null
    const path = await this.#pathOf(target, pid)
    if (path === null) return null
    const hash = url.indexOf('#')
    const leadsByPath = hash !== -1 && linkTargets(url.slice(0, hash)).at(-1)?.id === target.id
    return { path, fragment: (leadsByPath && FRAGMENT.exec(url)?.[0]) || '' }
  }

  /** Whether a text of a project holds such an address anywhere. Costs a hundredth of parsing it. */
  async areIn(text: string, pid: string): Promise<boolean> {
    for (const target of findLinks(text, this.#patterns)) {
      if ((await this.#pathOf(target, pid)) !== null) return true
    }
    return false
  }

  async #pathOf(target: LinkTarget, pid: string): Promise<string | null> {
    return target.kind === 'file' ? null : await this.#atlas.pathOf(target.pid ?? pid, target.kind, target.id)
  }
}
