/** What a link may lead to. */
export type LinkKind = 'post' | 'page' | 'file'

/** Something of the service that a link leads to. */
export interface LinkTarget {
  readonly kind: LinkKind
  readonly id: string
  /** The project that the link names; `null` where it names none: the one in which it stands. */
  readonly pid: string | null
}

const KINDS: ReadonlyMap<string, LinkKind | 'project'> = new Map([
  ['post', 'post'],
  ['posts', 'post'],
  ['page', 'page'],
  ['pages', 'page'],
  ['file', 'file'],
  ['files', 'file'],
  ['project', 'project'],
  ['projects', 'project'],
])

/** Longer segments are no ids, whatever they are. */
const MAX_ID = 256

/**
 * What a URL leads to: a segment `post`, `page` or `file`, singular or plural, and the id after it, in its path or in
 * the route behind its `#`; `project/PID` before it names the project. An address may name several, one in the other.
 */
export function linkTargets(url: string): LinkTarget[] {
  const targets: LinkTarget[] = []
  const segments = segmentsOf(url)
  let pid: string | null = null
  for (const [index, segment] of segments.entries()) {
    const kind = KINDS.get(segment.toLowerCase())
    const id = kind === undefined ? null : idOf(segments[index + 1] ?? '')
    if (kind === undefined || id === null) continue
    if (kind === 'project') pid = id
    else targets.push({ kind, id, pid })
  }
  return targets
}

/** The project that a URL leads to: where its path, or the route behind its `#`, ends in `project/PID` or `projects/PID`. */
export function linkedProject(url: string): string | null {
  const hash = url.indexOf('#')
  // `#top` is a place on the page, no route.
  const address = hash !== -1 && !url.includes('/', hash) ? url.slice(0, hash) : url
  const [word = '', segment = ''] = segmentsOf(address)
    .filter((part) => part !== '')
    .slice(-2)
  return KINDS.get(word.toLowerCase()) === 'project' ? idOf(segment) : null
}

/** The segments of the path, then those of a route in the fragment; a query belongs to neither. */
function segmentsOf(url: string): string[] {
  const hash = url.indexOf('#')
  const path = hash === -1 ? url : url.slice(0, hash)
  const route = hash === -1 ? '' : url.slice(hash + 1)
  return [...withoutQuery(path).split('/'), ...withoutQuery(route).split('/')]
}

function withoutQuery(part: string): string {
  const query = part.indexOf('?')
  return query === -1 ? part : part.slice(0, query)
}

/** The id at the start of a segment, percent-decoded; what cannot be part of one ends it. */
function idOf(segment: string): string | null {
  let end = 0
  while (end < segment.length && isIdCharacter(segment.charCodeAt(end))) end += 1
  while (end > 0 && segment[end - 1] === '.') end -= 1
  if (end === 0 || end > MAX_ID) return null
  const raw = segment.slice(0, end)
  if (!raw.includes('%')) return raw
  try {
    const id = decodeURIComponent(raw)
    // A slash would make the id another path when it is asked for; a control character is no part of any id.
    return /[\p{Cc}/\\]/u.test(id) || id === '.' || id === '..' ? null : id
  } catch {
    return null
  }
}

/** Letters, digits, `-`, `.`, `_`, `~`, `%`: what a URL's path holds unescaped, without its punctuation. */
function isIdCharacter(code: number): boolean {
  const isDigit = code >= 48 && code <= 57
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isDigit || isLetter || code === 45 || code === 46 || code === 95 || code === 126 || code === 37
}
