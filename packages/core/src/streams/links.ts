import type { LinkRule } from './link-rule.ts'
import { type LinkKind, type LinkTarget, linkTargets } from './link-target.ts'

/** A further form of link: what the group `id` holds, and the group `pid` where there is one. */
export interface LinkPattern {
  readonly kind: LinkKind
  /** Run over whole texts: its time is in its own hands. */
  readonly pattern: RegExp
}

/** Whether a text can hold a link of the usual form at all; most texts are told apart by it. */
const MAY_HOLD_LINK = /(?:post|page|file)s?\//i

/** Characters of which a URL in a text holds none: white space, quotes, brackets, and what ends a Chinese sentence. */
const BREAKS = /[\s<>"'`()[\]{}|\\^\u3000-\u301f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]+/g

/** What a relative link without a leading slash must follow to be one, not two words and a slash. */
const OPENS_LINK = /(?:\]\(<?|=["']|\]:\s+<?)$/

const SCHEME = /^[a-z][a-z0-9+.-]*:/i

/**
 * The posts, pages and files that a text in plain text, Markdown or HTML links to, each once. Links are absolute
 * (http, https), relative to the root, or relative in a Markdown link or an HTML attribute. Takes linear time, but
 * for `patterns`, whose links all count. Without a `rule`, so do the others.
 */
export function findLinks(text: string, patterns: readonly LinkPattern[] = [], rule?: LinkRule): LinkTarget[] {
  const found = new Map<string, LinkTarget>()
  const add = (target: LinkTarget) => found.set(JSON.stringify([target.kind, target.id, target.pid]), target)
  if (MAY_HOLD_LINK.test(text)) {
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

function* urlsIn(text: string): Generator<string> {
  let start = 0
  for (const gap of text.matchAll(BREAKS)) {
    yield* urlIn(text, start, gap.index)
    start = gap.index + gap[0].length
  }
  yield* urlIn(text, start, text.length)
}

/** The URL in a stretch of text without breaks, if there is one. */
function* urlIn(text: string, start: number, end: number): Generator<string> {
  if (end - start < 'post/1'.length) return
  const stretch = text.slice(start, end)
  if (!MAY_HOLD_LINK.test(stretch)) return
  const absolute = [...stretch.matchAll(/https?:\/\//gi)].map((match) => match.index)
  if (absolute.length > 0) {
    // One may stand in another's query, or be joined to it by a comma.
    for (const [index, at] of absolute.entries()) yield unemphasised(stretch, at, absolute[index + 1] ?? stretch.length)
  } else if (/^[*_~]*\//.test(stretch)) {
    yield unemphasised(stretch, stretch.indexOf('/'), stretch.length)
  } else if (!SCHEME.test(stretch) && OPENS_LINK.test(text.slice(Math.max(0, start - 8), start))) {
    yield stretch
  }
}

/** `__https://host/post/1__` is a link in bold: the underscores after it are none of its id. */
function unemphasised(stretch: string, start: number, end: number): string {
  let opening = start
  while (opening > 0 && '*_~'.includes(stretch.charAt(opening - 1))) opening -= 1
  const marks = stretch.slice(opening, start)
  const url = stretch.slice(start, end)
  return marks !== '' && url.endsWith(marks) ? url.slice(0, -marks.length) : url
}

/** The same expression, for all of its matches. */
function everywhere(pattern: RegExp): RegExp {
  return pattern.global ? pattern : new RegExp(pattern.source, `${pattern.flags}g`)
}
