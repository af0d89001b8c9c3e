import { LinkRule, type LinkRuleOptions } from './link-rule.ts'
import { type LinkTarget, linkedProject, linkTargets } from './link-target.ts'
import { findLinks, type LinkPattern } from './links.ts'

/** The page, post, file or project that an address names. */
export interface LinkedRecord {
  readonly kind: 'page' | 'post' | 'file' | 'project'
  readonly id: string
  readonly pid: string
  /** Whether the address is certain to be one of the service. */
  readonly isOwn: boolean
  /** The fragment to keep in a link to the record's file, with its `#`, as it is in the address; empty if there is none. */
  readonly fragment: string
}

/** The service's own forms of addresses. The kind may also be part of the route after `#`. */
const SERVICE_ADDRESS = /(?:post|page|file|project)s?[/?#]/i

/** The beginning of any address in a text, or what precedes it. */
const ANY_ADDRESS = /\]\(|\]:|<[a-z]|:\/\/|www\./i

/** Recognises links to records by the rules that `snapshot` applies when it discovers posts and files. */
export class ServiceLinks {
  readonly #patterns: readonly LinkPattern[]
  /** A text that holds an address of a configured form matches one of these. */
  readonly #searches: readonly RegExp[]
  readonly #rule: LinkRule

  /** `patterns` are forms of links from the config file, in addition to the service's own. */
  constructor(patterns: readonly LinkPattern[], rule: LinkRuleOptions) {
    this.#patterns = patterns
    this.#searches = patterns.map(({ pattern }) => (looksAround(pattern) ? ANY_ADDRESS : pattern))
    this.#rule = new LinkRule(rule)
  }

  /** The record that an address in a text of project `pid` names; `null` if it names none. */
  recordOf(url: string, pid: string): LinkedRecord | null {
    const record = this.#named(url, pid)
    const hash = url.indexOf('#')
    // A fragment with a slash is a route of the service's web application, not a place on a page.
    if (record === null || hash === -1 || hash === url.length - 1 || url.includes('/', hash)) return record
    const named = this.#named(url.slice(0, hash), pid)
    const isKept = named?.kind === record.kind && named.id === record.id
    return isKept ? { ...record, fragment: url.slice(hash) } : record
  }

  #named(url: string, pid: string): LinkedRecord | null {
    // An address may name several records, one within the other (`posts/1/files/2`): it leads to the last.
    const target = linkTargets(url).at(-1)
    if (target && this.#rule.counts(url, target.pid)) return linkedRecord(target, pid)
    const configured = findLinks(url, this.#patterns, this.#rule).at(-1)
    if (configured) return linkedRecord(configured, pid)
    const project = linkedProject(url)
    if (project === null) return null
    return { kind: 'project', id: project, pid: project, isOwn: this.#rule.isOwn(url), fragment: '' }
  }

  /** Whether a text may hold such addresses; a cheap test. */
  mayBeIn(text: string): boolean {
    return SERVICE_ADDRESS.test(text) || this.#searches.some((search) => text.search(search) !== -1)
  }
}

function linkedRecord({ kind, id, pid }: LinkTarget, ownPid: string): LinkedRecord {
  return { kind, id, pid: pid ?? ownPid, isOwn: true, fragment: '' }
}

/**
 * Whether an expression tests what surrounds a match, as `^`, `$`, `\b` and negative lookaround do: it may match an address
 * on its own and not match it within a text.
 */
function looksAround({ source }: RegExp): boolean {
  const withoutCharacters = source.replace(/\\[^bB]|\[(?:\\.|[^\]\\])*\]/g, '')
  return /[\^$]|\\b|\(\?<?!/i.test(withoutCharacters)
}
