import { bareAddressEnd } from '@collab-etl/contract/bare-address'
import type { LinkRule } from './link-rule.ts'
import { type LinkKind, type LinkTarget, linkTargets } from './link-target.ts'

/** A further form of link, with a group `id` and optionally a group `pid`. */
export interface LinkPattern {
  readonly kind: LinkKind
  /** Applied to whole texts: it should take linear time. */
  readonly pattern: RegExp
}

/** Whether a text may contain a link of the usual form; a fast check that excludes most texts. */
const MAY_HOLD_LINK = /(?:post|page|file)s?\//i

/** Characters that a URL in a text does not contain: white space, quotes, brackets, and Chinese punctuation. */
const BREAKS = /[\s<>"'`()[\]{}|\\^\u3000-\u301f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/g

/** What precedes the address of a link in Markdown or HTML. Without it, an address is bare, and two words with a slash between them are not an address. */
const OPENS_LINK = /(?:\]\(<?|=["']|\]:\s+<?)$/

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

const NONE: readonly LinkTarget[] = []

/**
 * The posts, pages and files that a text in plain text, Markdown or HTML links to, each once. Links are absolute
 * (http, https), relative to the root, or relative in a Markdown link or an HTML attribute. Takes linear time, except
 * for `patterns`. Links of `patterns` always count; the others do if there is no `rule` or the rule accepts them.
 */
export function findLinks(text: string, patterns: readonly LinkPattern[] = [], rule?: LinkRule): readonly LinkTarget[] {
  const mayHoldLink = MAY_HOLD_LINK.test(text)
  // most texts
  if (!mayHoldLink && patterns.length === 0) return NONE
  const found = new Map<string, LinkTarget>()
  const add = (target: LinkTarget) => found.set(JSON.stringify([target.kind, target.id, target.pid]), target)
  if (mayHoldLink) {
    for (const url of urlsIn(text)) {
      for (const target of linkTargets(url)) {
        if (rule === undefined || rule.counts(url, target.pid)) add(target)
      }
    }
  }
  for (const { kind, pattern } of patterns) {
    for (const { groups } of text.matchAll(everywhere(pattern))) {
      const id = groups?.['id']
      if (id) add({ kind, id, pid: groups?.['pid'] || null })
    }
  }
  return [...found.values()]
}

/** Whether a text may contain links, of this project or another: a fast test. */
export function mayHoldLinks(text: string, patterns: readonly LinkPattern[]): boolean {
  return MAY_HOLD_LINK.test(text) || patterns.some(({ pattern }) => text.search(pattern) !== -1)
}

function* urlsIn(text: string): Generator<string> {
  let start = 0
  for (const gap of text.matchAll(BREAKS)) {
    yield* urlIn(text, start, gap.index)
    start = gap.index + gap[0].length
  }
  yield* urlIn(text, start, text.length)
}

/** The URL in a text without white space, if there is one. */
function* urlIn(text: string, start: number, end: number): Generator<string> {
  if (end - start < 'post/1'.length) return
  const stretch = text.slice(start, end)
  if (!MAY_HOLD_LINK.test(stretch)) return
  const absolute = [...stretch.matchAll(/https?:\/\//gi)].map((match) => match.index)
  const isLink = OPENS_LINK.test(text.slice(Math.max(0, start - 8), start))
  const endOf = (at: number, end: number) => at + bareAddressEnd(stretch.slice(at, end))
  if (absolute.length > 0) {
    // A URL may be in another one's query, or be joined to it by a comma.
    for (const [index, at] of absolute.entries()) {
      const next = absolute[index + 1] ?? stretch.length
      yield unemphasised(stretch, at, isLink && at === 0 ? next : endOf(at, next))
    }
  } else if (/^[*_~]*\//.test(stretch)) {
    const at = stretch.indexOf('/')
    yield unemphasised(stretch, at, isLink ? stretch.length : endOf(at, stretch.length))
  } else if (!SCHEME.test(stretch) && isLink) {
    yield stretch
  }
}

/** `__https://host/post/1__` is a link in bold: the underscores after it do not belong to its id. */
function unemphasised(stretch: string, start: number, end: number): string {
  let opening = start
  while (opening > 0 && '*_~'.includes(stretch.charAt(opening - 1))) opening -= 1
  const marks = stretch.slice(opening, start)
  const url = stretch.slice(start, end)
  return marks !== '' && url.endsWith(marks) ? url.slice(0, -marks.length) : url
}

/** The same expression with the flag `g`. */
function everywhere(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
}

const KINDS = ['post', 'page', 'file'] as const

/**
 * Checks additional forms of links to posts, pages and files from a config file. Each has a kind and a regular expression with
 * a group `id` and, optionally, a group `pid` for the project's id.
 * @throws Error that names the entry
 */
export function parseLinkPatterns(value: unknown): LinkPattern[] {
  if (!Array.isArray(value)) throw new Error('must be a list of entries with kind and pattern')
  return value.map((entry: unknown, index) => parseEntry(entry, `entry ${index + 1}`))
}

function parseEntry(entry: unknown, place: string): LinkPattern {
  if (typeof entry !== 'object' || entry === null || !('kind' in entry && 'pattern' in entry)) {
    throw new Error(`${place} must have kind and pattern`)
  }
  const kind = KINDS.find((known) => known === entry.kind)
  if (kind === undefined) throw new Error(`${place}: kind must be one of ${KINDS.join(', ')}`)
  if (typeof entry.pattern !== 'string' || !entry.pattern.includes('(?<id>')) {
    throw new Error(`${place}: pattern must be a regular expression with a group (?<id>…)`)
  }
  try {
    return { kind, pattern: new RegExp(entry.pattern, 'gu') }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : ''
    throw new Error(`${place}: pattern is no regular expression: ${reason}`, { cause })
  }
}
