import { readFile, stat } from 'node:fs/promises'
import { UsageError } from './errors.ts'
import { whyUnreadable } from './settings/bounded-file.ts'

/** The columns that `readCsvFile` needs, and the name of the flag for its errors. */
export interface CsvFileOptions<C extends string> {
  /** For errors: `--posts-file`. */
  readonly name: string
  /** Columns that must be there, each with a value in every row; others are passed over. */
  readonly columns: readonly C[]
  /** One of them whose values may be empty. */
  readonly mayBeEmpty?: C
}

/**
 * Reads a CSV file that somebody names on the command line: RFC 4180, UTF-8 with or without byte-order mark, a header row.
 * @throws UsageError that names the file and the line
 */
export async function readCsvFile<const C extends string>(
  path: string,
  options: CsvFileOptions<C>,
): Promise<Record<C, string>[]> {
  const { name, columns, mayBeEmpty } = options
  const [header, ...rows] = await parseRows(await readText(path, name), path, name)
  const places = columns.map((column) => header?.record.indexOf(column) ?? -1)
  if (places.includes(-1)) {
    throw new UsageError(`${name}: ${path}: the first line must be a header with the columns ${columns.join(',')}`)
  }
  return rows.map(({ record, info }) => {
    const row: Partial<Record<C, string>> = {}
    for (const [index, column] of columns.entries()) {
      const value = record[places[index] ?? -1]?.trim() ?? ''
      if (value === '' && column !== mayBeEmpty)
        throw new UsageError(`${name}: ${path}: line ${info.lines} has no ${column}`)
      row[column] = value
    }
    return row as Record<C, string> // the loop gave every column its value
  })
}

interface ParsedRow {
  readonly record: readonly string[]
  readonly info: { readonly lines: number }
}

async function parseRows(text: string, path: string, name: string): Promise<ParsedRow[]> {
  const { CsvError, parse } = await import('csv-parse/sync')
  try {
    // With `info`, each row comes with its place, which the parser's types do not know.
    return parse(text, { bom: true, info: true, skip_empty_lines: true }) as unknown as ParsedRow[]
  } catch (error) {
    const line = error instanceof CsvError && 'lines' in error ? `line ${error['lines']}: ` : ''
    const message = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${name}: ${path}: ${line}is no CSV: ${message}`, { cause: error })
  }
}

async function readText(path: string, name: string): Promise<string> {
  try {
    const stats = await stat(path)
    const isReadable = stats.isFile() || stats.isFIFO() || stats.isDirectory()
    if (!isReadable) throw new Error('it is neither a regular file nor a pipe')
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${name}: ${path} cannot be read (${whyUnreadable(error)})`, { cause: error })
  }
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** How `parseIsoTime` reads a date without a time, and the name of the flag for its errors. */
export interface IsoTimeOptions {
  /** The flag, for errors: `--as-of`. */
  readonly name: string
  /** Whether a date without a time means the first or the last millisecond of that day (UTC). */
  readonly edge: 'start' | 'end'
}

/**
 * Reads an ISO 8601 date (`2024-02-29`) or time with its zone (`2024-02-29T12:00Z`, `…+08:00`).
 * @throws UsageError for anything else, and for days that do not exist
 */
export function parseIsoTime(text: string, { name, edge }: IsoTimeOptions): Date {
  if (DATE.test(text) && isDay(text)) return new Date(`${text}T${edge === 'start' ? '00:00:00.000' : '23:59:59.999'}Z`)
  if (TIME.test(text) && isDay(text.slice(0, 10))) {
    const time = new Date(text)
    if (!Number.isNaN(time.getTime())) return time
  }
  throw new UsageError(`${name} must be a date such as 2024-02-29, or a time with its zone such as 2024-02-29T12:00Z`)
}

/**
 * The error for a flag's time that is in the future; `null` if it is not.
 * @param options.byDefault what the command shows without the flag, for the message
 * @param options.lastRun the start of the last run as ISO text: times up to it are allowed, as the clock of its machine may have been ahead
 */
export function futureError(
  name: string,
  time: Date,
  { byDefault, lastRun = '' }: { readonly byDefault: string; readonly lastRun?: string | undefined },
): UsageError | null {
  if (time.getTime() <= Math.max(Date.now(), Date.parse(lastRun) || 0)) return null
  return new UsageError(`${name} ${time.toISOString()} is in the future; leave it out for ${byDefault}`)
}

/** Whether the day exists: `Date` rolls the 31st of February over into March. */
function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
