/** Kinds of records that a link can lead to. */
export type LinkKind = 'post' | 'page' | 'file'

/** A record of the service that a link leads to. */
export interface LinkTarget {
  readonly kind: LinkKind
  readonly id: string
  /** The project that the link names; `null` if it names none: then the project of the text is meant. */
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

/** Longer segments are not ids. */
const MAX_ID = 256

/**
 * The record that a URL leads to: a segment `post`, `page` or `file`, singular or plural, and the id after it, in its path or in
 * the route after its `#`; `project/PID` before it names the project. An address may contain several, nested.
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

/** The project that a URL leads to, if its path, or the route after its `#`, ends in `project/PID` or `projects/PID`. */
export function linkedProject(url: string): string | null {
  const hash = url.indexOf('#')
  // `#top` is a position on the page, not a route.
  const address = hash !== -1 && !url.includes('/', hash) ? url.slice(0, hash) : url
  const [word = '', segment = ''] = segmentsOf(address)
    .filter((part) => part !== '')
    .slice(-2)
  return KINDS.get(word.toLowerCase()) === 'project' ? idOf(segment) : null
}

/** The segments of the path, then those of a route in the fragment; a query belongs to neither of them. */
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

/** The id at the start of a segment, percent-decoded; it ends at the first character that cannot be part of one. */
function idOf(segment: string): string | null {
  let end = 0
  while (end < segment.length && isIdCharacter(segment.charCodeAt(end))) end += 1
  while (end > 0 && segment[end - 1] === '.') end -= 1
  if (end === 0 || end > MAX_ID) return null
  const raw = segment.slice(0, end)
  if (!raw.includes('%')) return raw
  try {
    const id = decodeURIComponent(raw)
    // With a slash, a request for the id would have another path; ids have no control characters.
    return /[\p{Cc}/\\]/u.test(id) || id === '.' || id === '..' ? null : id
  } catch {
    return null
  }
}

/** Letters, digits, `-`, `.`, `_`, `~`, `%`: unescaped characters of a URL's path, without punctuation. */
function isIdCharacter(code: number): boolean {
  const isDigit = code >= 48 && code <= 57
  const isLetter = (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
  return isDigit || isLetter || code === 45 || code === 46 || code === 95 || code === 126 || code === 37
}
