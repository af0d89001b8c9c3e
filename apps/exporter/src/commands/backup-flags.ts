import { CONTENT, type Content, FORMATS, type Format, heldContent } from '@collab-etl/backups'
import { readCsvFile, UsageError } from '@collab-etl/cli'
import type { KnownId } from '@collab-etl/core'

/** Posts named with `--post PID:POST_ID` and in `--posts-file`, by project. */
export async function readKnownPosts(
  posts: readonly string[],
  file: string | undefined,
): Promise<ReadonlyMap<string, KnownId[]>> {
  const known = new Map<string, KnownId[]>()
  const add = (pid: string, id: string, source: string) => known.set(pid, [...(known.get(pid) ?? []), { id, source }])
  for (const post of posts) {
    const { pid, id } = parsePost(post)
    add(pid, id, 'flag')
  }
  if (file !== undefined) {
    const rows = await readCsvFile(file, { name: '--posts-file', columns: ['pid', 'post_id'] })
    for (const { pid, post_id } of rows) add(pid, post_id, 'file')
  }
  return known
}

function parsePost(text: string): { pid: string; id: string } {
  const colon = text.indexOf(':')
  const pid = text.slice(0, Math.max(0, colon)).trim()
  const id = text.slice(colon + 1).trim()
  if (colon === -1 || pid === '' || id === '') throw new UsageError(`--post must be PID:POST_ID, not "${text}"`)
  return { pid, id }
}

/** What may separate the cells of a row, by the words that name it. */
const DELIMITERS: ReadonlyMap<string, string> = new Map([
  [',', ','],
  [';', ';'],
  ['|', '|'],
  ['tab', '\t'],
  ['\\t', '\t'],
  ['\t', '\t'],
])

/** Reads `--delimiter ';'`. */
export function parseDelimiter(word: string): string {
  const delimiter = DELIMITERS.get(word)
  if (delimiter !== undefined) return delimiter
  throw new UsageError(`--delimiter must be one of , ; | tab, not ${JSON.stringify(word)}`)
}

/** Reads `--format markdown,csv`. */
export function parseFormats(text: string): ReadonlySet<Format> {
  const words = text.split(',').map((word) => word.trim())
  const formats = FORMATS.filter((format) => words.includes(format))
  const unknown = words.find((word) => !FORMATS.some((format) => format === word))
  if (unknown === undefined && formats.length > 0) return new Set(formats)
  throw new UsageError(`--format must be one or more of ${FORMATS.join(',')}, not "${unknown ?? text}"`)
}

/**
 * Reads `--content pages,tasks`; `undefined` is everything that the formats can hold.
 * @throws UsageError for an unknown kind, and for one that none of the formats can hold, as the backup would lack it
 */
export function parseContent(text: string | undefined, formats: ReadonlySet<Format>): ReadonlySet<Content> {
  if (text === undefined) return new Set(CONTENT)
  const words = text.split(',').map((word) => word.trim())
  const content = CONTENT.filter((kind) => words.includes(kind))
  const unknown = words.find((word) => !CONTENT.some((kind) => kind === word))
  if (unknown !== undefined || content.length === 0) {
    throw new UsageError(`--content must be one or more of ${CONTENT.join(',')}, not "${unknown ?? text}"`)
  }
  const held = heldContent(formats)
  const lacking = content.filter((kind) => !held.has(kind))
  // All kinds is the default, which means all that the formats can hold.
  if (lacking.length === 0 || content.length === CONTENT.length) return new Set(content)
  const [names, added] = [[...formats].join(','), lacking.includes('users') ? 'csv' : 'csv or jsonl']
  throw new UsageError(`--content ${lacking.join(',')} cannot be written as ${names}: add ${added} to --format`)
}
