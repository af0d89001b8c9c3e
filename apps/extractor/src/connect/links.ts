/** A form of link as the config file has it. */
export interface LinkSetting {
  readonly kind: 'post' | 'page' | 'file'
  readonly pattern: RegExp
}

const KINDS = ['post', 'page', 'file'] as const

/**
 * Checks `links:` of the config file: forms of links to posts, pages and files besides the usual ones, each with a
 * regular expression whose group `id` holds the id, and whose group `pid`, where there is one, holds the project's.
 */
export function parseLinks(value: unknown): LinkSetting[] {
  if (!Array.isArray(value)) throw new Error('must be a list of entries with kind and pattern')
  return value.map((entry: unknown, index) => parseLink(entry, `entry ${index + 1}`))
}

function parseLink(entry: unknown, place: string): LinkSetting {
  if (typeof entry !== 'object' || entry === null || !('kind' in entry) || !('pattern' in entry)) {
    throw new Error(`${place} must have kind and pattern`)
  }
  const kind = KINDS.find((known) => known === entry.kind)
  if (kind === undefined) throw new Error(`${place}: kind must be one of ${KINDS.join(', ')}`)
  if (typeof entry.pattern !== 'string' || !entry.pattern.includes('(?<id>')) {
    throw new Error(`${place}: pattern must be a regular expression with a group (?<id>…)`)
  }
  try {
    return { kind, pattern: new RegExp(entry.pattern, 'gu') }
  } catch (error) {
    throw new Error(`${place}: pattern is no regular expression: ${error instanceof Error ? error.message : ''}`)
  }
}
