import { UsageError } from '@collab-etl/cli'

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
