import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { HOME, REPORT, type Site, type SiteFile } from './site.ts'

/** What a request gets. */
export type Reply =
  | { readonly kind: 'file'; readonly path: string; readonly found: SiteFile }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'no-report' }
  | { readonly kind: 'not-allowed' }
  | { readonly kind: 'not-found' }

/** Who may read the site. */
export interface Access {
  /** The beginning of all paths of the site. */
  readonly token: string
  /** Names under which the server may be requested: a page elsewhere whose name leads to this machine has another one. */
  readonly hosts: ReadonlySet<string>
  /** Whether a path begins with the address that the browser was started with. It counts once: other users see arguments of programs. */
  takeLaunch(secret: string): boolean
}

const NOT_FOUND: Reply = { kind: 'not-found' }

/** Decides on a request. Whoever does not know the token cannot tell a wrong path from a wrong method. */
export function replyTo({ method, url = '', headers }: IncomingMessage, site: Site, access: Access): Reply {
  if (!access.hosts.has(headers.host ?? '')) return NOT_FOUND
  const [path = ''] = url.split('?', 1)
  const [before, secret = '', ...rest] = path.split('/')
  if (before !== '') return NOT_FOUND
  const isHome = rest.length === 0 || (rest.length === 1 && rest[0] === '')
  if (isHome && method === 'GET' && access.takeLaunch(secret)) return homeOf(access)
  if (!isSame(secret, access.token)) return NOT_FOUND
  if (method !== 'GET' && method !== 'HEAD') return { kind: 'not-allowed' }
  if (isHome) return homeOf(access)
  const wanted = decoded(rest)
  if (wanted === null) return NOT_FOUND
  const found = site.get(wanted)
  if (found !== undefined) return { kind: 'file', path: wanted, found }
  if (wanted === REPORT) return { kind: 'no-report' }
  const page = pagesOf(wanted).find((path) => site.has(path))
  return page === undefined ? NOT_FOUND : { kind: 'redirect', to: addressOf(access, page) }
}

/**
 * The pages that may show a Markdown file, the best first: the report of a backup with Markdown links to its files. The site lists the tasks
 * of all groups together, and a site that is made from Markdown has its lists among the pages of the index.
 */
function pagesOf(path: string): string[] {
  const [, name = ''] = /^markdown\/(.*)\.md$/.exec(path) ?? []
  if (name === '') return []
  const [project = ''] = name.split('/', 1)
  const page = name
    .replace(/(^|\/)README$/, '$1index')
    .replace(/^([^/]+\/)tasks\/(archive-)?.*/, (_whole, own, archive) => own + (archive ? 'archive' : 'tasks'))
  return [page, `${project}/index`].map((own) => `html/${own}.html`)
}

/** The address of a file of the site. A redirect without a fragment keeps that of the link. */
function addressOf({ token }: Access, path: string): string {
  return `/${token}/${path.split('/').map(encodeURIComponent).join('/')}`
}

/** Compares secrets in a time that does not depend on where they differ. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(hash('sha256', given, 'buffer'), hash('sha256', secret, 'buffer'))
}

function homeOf(access: Access): Reply {
  return { kind: 'redirect', to: addressOf(access, HOME) }
}

/** The path that the parts of an address mean; `null` if it cannot be decoded. Only exact paths are served: `..` means nothing. */
function decoded(parts: readonly string[]): string | null {
  try {
    return parts.map(decodeURIComponent).join('/')
  } catch {
    return null
  }
}
