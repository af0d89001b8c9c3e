import { UsageError } from '@collab-etl/cli'
import { FORMATS, type Format } from '../backup/options.ts'

/** Reads `--format markdown,csv`. */
export function parseFormats(text: string): ReadonlySet<Format> {
  const words = text.split(',').map((word) => word.trim())
  const formats = FORMATS.filter((format) => words.includes(format))
  const unknown = words.find((word) => !FORMATS.some((format) => format === word))
  if (unknown === undefined && formats.length > 0) return new Set(formats)
  throw new UsageError(`--format must be one or more of ${FORMATS.join(',')}, not "${unknown ?? text}"`)
}
