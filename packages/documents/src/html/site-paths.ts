import { MARKDOWN_FOLDER, relativePath } from '../path-index.ts'

/** The folder of the site, relative to `data/`. */
export const HTML_FOLDER = 'html'

/** Most paths. Looking for other letters takes longer. */
const PLAIN = /^[\w\-.~/()]*$/

/** Characters of file names that need encoding in an address. */
const NOT_PLAIN = /[^\p{L}\p{M}\p{N}\-._~/()]+/gu

/** The path of a record's or project's HTML file by that of its Markdown file; both relative to `data/`. */
export function htmlPath(markdownPath: string): string {
  const path = markdownPath.slice(MARKDOWN_FOLDER.length)
  const index = path.endsWith('/README.md') ? path.replace(/^((?:\/[^/]+)?\/)README\.md$/, '$1index.html') : path
  return `${HTML_FOLDER}${index.endsWith('.md') ? `${index.slice(0, -'.md'.length)}.html` : index}`
}

/** The way from one file to another, both relative to `data/`, as written in a link. */
export function address(from: string, to: string): string {
  return addressOf(relativePath(from, to))
}

/** The way from a file up to the folder of the site; empty, or ending in `/`. */
export function rootFrom(path: string): string {
  return '../'.repeat(path.split('/').length - 2)
}

/** A path as an address: letters of any script stay readable. */
export function addressOf(path: string): string {
  return PLAIN.test(path) ? path : path.replace(NOT_PLAIN, encodeURIComponent)
}
