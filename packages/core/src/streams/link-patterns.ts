import type { LinkPattern } from './links.ts'

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
