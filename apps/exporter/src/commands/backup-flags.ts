import { readCsvFile, UsageError } from '@collab-etl/cli'
import type { KnownId } from '@collab-etl/core'
import { FORMATS, type Format } from '../backup/options.ts'

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

/** What may stand between the cells of a row, by the words that name it. */
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
