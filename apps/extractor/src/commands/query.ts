import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import { defineCommand, defuse, EXIT, formatNumber, formatTable, terminalText, UsageError } from '@collab-etl/cli'
import { queryWarehouse } from '@collab-etl/warehouse'
import { stringify } from 'csv-stringify/sync'
import { warehouseOf } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const query = defineCommand({
  ...SUMMARIES.query,
  examples: [
    ['query "SELECT pid, name FROM collab.live_projects"', 'a table'],
    ['query "SELECT * FROM collab.pages" --csv > pages.csv', 'as CSV'],
    ['query "SELECT count(*) FROM collab.tasks" --json', 'for scripts: {"columns": […], "rows": [[…]]}'],
    ['query -f report.sql', 'the statement in a file'],
    ['query - < report.sql', 'the statement on stdin'],
  ],
  options: {
    sql: { type: 'string', describe: 'one statement; - reads it from stdin' },
    file: { alias: 'f', type: 'string', describe: 'FILE  reads the statement from a file; -: from stdin' },
    'raw-cells': {
      type: 'boolean',
      implies: 'csv',
      describe: 'writes CSV cells exactly as they are, even if a spreadsheet would run them as formulas',
    },
    csv: { type: 'boolean', describe: 'writes CSV (RFC 4180) with a header row', conflicts: 'json' },
    'allow-superuser': {
      type: 'boolean',
      describe: 'allows a Postgres superuser, who can change the server even by a query that only reads',
    },
    'query-timeout': {
      type: 'number',
      default: 300,
      describe: 'SECONDS  cancels the query after this time',
    },
  },
  settings: ['warehouse'],
  check({ sql, file, 'query-timeout': timeoutSeconds }) {
    if (sql === undefined && file === undefined) {
      throw new UsageError('an argument is missing: give the SQL, -f FILE, or - to read it from stdin')
    }
    if (sql !== undefined && file !== undefined) throw new UsageError('give either the SQL or -f FILE, not both')
    if (!(timeoutSeconds > 0)) throw new UsageError('--query-timeout must be above 0')
  },
  async run(
    { settings, stdout, signal },
    {
      csv,
      'raw-cells': rawCells = false,
      'query-timeout': timeoutSeconds,
      'allow-superuser': allowSuperuser = false,
      ...source
    },
  ) {
    const sql = await readStatement(source)
    const warehouse = { ...warehouseOf(settings), signal }
    const { columns, rows } = await queryWarehouse(warehouse, sql, { timeoutSeconds, allowSuperuser })
    stdout.document({ columns, rows })
    if (csv) {
      const header = columns.map((column) => csvCell(column, rawCells))
      // RFC 4180 ends lines with CR LF.
      const csvText = stringify([header, ...rows.map((row) => row.map((value) => csvCell(value, rawCells)))], {
        record_delimiter: '\r\n',
        // Spreadsheets also split cells at these, and the next part could be a formula.
        quoted_match: /[,;|\t]/,
      })
      await stdout.write(terminalText(stdout, csvText))
    } else {
      stdout.line(formatTable(columns, rows, { width: stdout.columns, keepsWords: true }))
      if (stdout.isTerminal) stdout.line(formatNumber(rows.length, 'row'))
    }
    return EXIT.ok
  },
})

/** The statement of the command line, of a file, or of stdin. */
async function readStatement({ sql, file }: { readonly sql?: string | undefined; readonly file?: string | undefined }) {
  const isStdin = sql === '-' || file === '-'
  const statement = isStdin ? await text(process.stdin) : file === undefined ? sql : await readStatementFile(file)
  if (statement?.trim()) return statement
  throw new UsageError(`${isStdin ? 'stdin' : `-f: ${file}`} holds no SQL`)
}

async function readStatementFile(file: string): Promise<string> {
  try {
    const statement = await readFile(file, 'utf8')
    return statement.replace(/^\uFEFF/, '') // editors on Windows write a byte order mark
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new UsageError(`-f: ${file} cannot be read (${code})`, { cause: error })
  }
}

/** NaN and infinite numbers arrive as texts. `-Infinity` begins with a minus but is no formula for a spreadsheet. */
const NUMBER = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|-Infinity)$/i

/**
 * A value as a CSV cell: dates as ISO 8601, booleans as words, lists and objects as JSON, NULL as nothing. A text that a
 * spreadsheet would run is defused, unless it is to be raw.
 */
export function csvCell(value: unknown, isRaw: boolean): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'string') return isRaw || NUMBER.test(value) ? value : defuse(value)
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
