import { defineCommand, EXIT, formatNumber, formatTable, terminalText, UsageError } from '@collab-etl/cli'
import { queryWarehouse } from '@collab-etl/warehouse'
import { stringify } from 'csv-stringify/sync'
import { csvCell } from '../show/csv-cell.ts'

export const query = defineCommand({
  command: 'query <sql>',
  describe: 'runs a read-only query on the warehouse',
  examples: [
    ['query "SELECT pid, name FROM collab.projects"', 'a table'],
    ['query "SELECT * FROM collab.pages" --csv > pages.csv', 'as CSV'],
    ['query "SELECT count(*) FROM collab.tasks" --json', 'for scripts: {"columns": […], "rows": [[…]]}'],
  ],
  options: {
    sql: { type: 'string', describe: 'one statement' },
    'raw-cells': {
      type: 'boolean',
      implies: 'csv',
      describe: 'CSV cells exactly as they are, also where a spreadsheet would run them as a formula',
    },
    csv: { type: 'boolean', describe: 'as CSV (RFC 4180), with a header row', conflicts: 'json' },
    'allow-superuser': {
      type: 'boolean',
      describe: 'runs it also as a superuser of Postgres, who can change the server even by a query that only reads',
    },
    'query-timeout': {
      type: 'number',
      default: 300,
      describe: 'SECONDS  after which the query is cancelled',
    },
  },
  settings: ['warehouse'],
  async run(
    { settings, stdout, signal },
    {
      sql,
      csv,
      'raw-cells': rawCells = false,
      'query-timeout': timeoutSeconds,
      'allow-superuser': allowSuperuser = false,
    },
  ) {
    if (sql === undefined) throw new UsageError('the query is missing')
    if (!(timeoutSeconds > 0)) throw new UsageError('--query-timeout must be above 0')
    const { databaseUrl, dataDir, schema } = settings
    const warehouse = { databaseUrl: databaseUrl?.reveal(), dataDir, schema, signal }
    const { columns, rows } = await queryWarehouse(warehouse, sql, { timeoutSeconds, allowSuperuser })
    stdout.document({ columns, rows })
    if (csv) {
      const header = columns.map((column) => csvCell(column, rawCells))
      // RFC 4180 ends lines with CR LF.
      const text = stringify([header, ...rows.map((row) => row.map((value) => csvCell(value, rawCells)))], {
        record_delimiter: '\r\n',
        // Spreadsheets also split cells at these, and the next part could be a formula.
        quoted_match: /[,;|\t]/,
      })
      await stdout.write(terminalText(stdout, text))
    } else {
      stdout.line(formatTable(columns, rows, stdout.columns === undefined ? {} : { width: stdout.columns }))
      if (stdout.isTerminal) stdout.line(formatNumber(rows.length, 'row'))
    }
    return EXIT.ok
  },
})
