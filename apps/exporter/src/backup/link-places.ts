import {
  findLinks,
  type LinkPattern,
  LinkRule,
  type LinkRuleOptions,
  type LinkTarget,
  linkedProject,
  linkTargets,
} from '@collab-etl/core/links'
import type { Atlas } from './atlas.ts'

/** The end of an address that may go along to a file. */
const FRAGMENT = /#[\w.~%-]+$/

/** What an address of a usual form holds: what follows may be in the route behind its `#`. */
const USUAL = /(?:post|page|project)s?[/?#]/i

/** What stands before any address in a text, or begins it. */
const ANY_ADDRESS = /\]\(|\]:|<[a-z]|:\/\/|www\./i

/** Where an address leads in the backup. */
export interface LinkPlace {
  /** Of the record's Markdown file, relative to `data/`; other formats have the same names. */
  readonly path: string
  /** Of the page, post or project. */
  readonly title: string | null
  /** With its `#`; empty where there is none that may go along. */
  readonly fragment: string
}

/** What an address names. */
interface Named {
  readonly kind: 'page' | 'post' | 'project'
  readonly id: string
  readonly pid: string
  /** Whether the service is sure to be meant. */
  readonly isOwn: boolean
}

/** Knows which addresses lead to something that the backup holds: those that count as links when the service is read. */
export class LinkPlaces {
  readonly #atlas: Atlas
  readonly #patterns: readonly LinkPattern[]
  /** One of them is found in each text that holds an address of a form from the config file. */
  readonly #signs: readonly RegExp[]
  readonly #rule: LinkRule

  /** `service` says where the service is; `patterns` are further forms of links, from the config file. */
  constructor(atlas: Atlas, patterns: readonly LinkPattern[], service: Omit<LinkRuleOptions, 'hasProject'>) {
    this.#atlas = atlas
    this.#patterns = patterns
    this.#signs = patterns
      .filter(({ kind }) => kind !== 'file')
      .map(({ pattern }) => (looksAround(pattern) ? ANY_ADDRESS : pattern))
    this.#rule = new LinkRule({ ...service, hasProject: (pid) => atlas.folderOf(pid) !== null })
  }

  /**
   * Where an address in a text of a project leads: `missing` if to a project, page or post of the service that the backup
   * does not hold, `null` if to anything else.
   */
  async find(url: string, pid: string): Promise<LinkPlace | 'missing' | null> {
    const named = this.#namedBy(url, pid)
    if (named === null) return null
    const { kind, id } = named
    const found = kind === 'project' ? this.#atlas.placeOfIndex(id) : await this.#atlas.placeOf(named.pid, kind, id)
    if (found !== null) return { ...found, fragment: fragmentOf(url, named) }
    return named.isOwn ? 'missing' : null
  }

  /** Whether a text may hold addresses to look for. Costs a hundredth of parsing it. */
  mayBeIn(text: string): boolean {
    return USUAL.test(text) || this.#signs.some((sign) => text.search(sign) !== -1)
  }

  #namedBy(url: string, pid: string): Named | null {
    // An address may name several things, one in the other (`posts/1/files/2`): it leads to the last.
    const usual = linkTargets(url).at(-1)
    if (usual && this.#rule.counts(url, usual.pid)) return named(usual, pid, true)
    const configured = findLinks(url, this.#patterns, this.#rule).at(-1)
    if (configured) return named(configured, pid, true)
    const project = linkedProject(url)
    return project === null ? null : { kind: 'project', id: project, pid: project, isOwn: this.#rule.isOwn(url) }
  }
}

function named({ kind, id, pid }: LinkTarget, here: string, isOwn: boolean): Named | null {
  return kind === 'file' ? null : { kind, id, pid: pid ?? here, isOwn }
}

/** The fragment of an address whose path it is that leads somewhere. */
function fragmentOf(url: string, { kind, id }: Named): string {
  const hash = url.indexOf('#')
  if (hash === -1) return ''
  const path = url.slice(0, hash)
  const leadsByPath = kind === 'project' ? linkedProject(path) === id : linkTargets(path).at(-1)?.id === id
  return (leadsByPath && FRAGMENT.exec(url)?.[0]) || ''
}

/**
 * Whether an expression asks what is beside what it finds, as `^`, `$`, `\b` and negative lookaround do: it may be found in an address,
 * and not in the text in which that stands.
 */
function looksAround({ source }: RegExp): boolean {
  const withoutCharacters = source.replace(/\\[^bB]|\[(?:\\.|[^\]\\])*\]/g, '')
  return /[\^$]|\\b|\(\?<?!/i.test(withoutCharacters)
}
