import { defineCommand, EXIT, formatBytes, formatCount, formatNumber, formatTable, parseIsoTime } from '@collab-etl/cli'
import { openDestination } from '../export/destination.ts'
import { FORMATS, type Format, type Manifest } from '../export/manifest.ts'
import { writeExport } from '../export/run-export.ts'
import { connectWarehouse } from '../warehouse.ts'
import { SUMMARIES } from './summaries.ts'

export const exportCommand = defineCommand({
  ...SUMMARIES.export,
  examples: [
    ['export --format parquet --out ./lake', 'every table, for DuckDB, Spark, pandas and others'],
    ['export --format csv --out ./tables --table tasks --table users', 'two tables as CSV'],
    [
      'export --format parquet --out ./lake --as-of 2026-03-01',
      'the rows that existed at the beginning of that day (UTC)',
    ],
    ['export --format jsonl --out ./lines --json | jq .tables', 'for scripts: rows, size and SHA-256 of each file'],
  ],
  options: {
    format: { type: 'string', choices: FORMATS, demandOption: true, describe: 'the kind of files' },
    out: {
      type: 'string',
      demandOption: true,
      describe: 'DIR  directory that will hold TABLE/part-0001.…; an earlier export there is replaced',
    },
    'as-of': {
      type: 'string',
      describe: 'ISO  the rows that existed after the last run that began by then; default: all rows, deleted ones too',
    },
    table: { type: 'string', array: true, describe: 'NAME  only this table; repeatable' },
  },
  settings: ['warehouse'],
  onInterrupt: null,
  async run(context, { format, out, 'as-of': time, table }) {
    const { settings, stdout } = context
    const asOf = time === undefined ? undefined : parseIsoTime(time, { name: '--as-of', edge: 'start' })
    await using warehouse = await connectWarehouse(settings)
    await using destination = await openDestination(out)
    const choice = { format: format as Format, asOf, tables: table }
    const manifest = await writeExport(warehouse, destination.partial, choice, context)
    await destination.publish()
    stdout.document({ out, ...manifest })
    stdout.line(formatTable(COLUMNS, manifest.tables.map(tableRow), { width: stdout.columns }))
    stdout.line(summaryOf(manifest, out))
    return EXIT.ok
  },
})

const COLUMNS = [
  { header: 'table', isWhole: true },
  { header: 'rows', align: 'right' },
  { header: 'files', align: 'right' },
  { header: 'size', align: 'right' },
] as const

function tableRow({ name, rows, files }: Manifest['tables'][number]): unknown[] {
  return [name, formatCount(rows), files.length, formatBytes(files.reduce((sum, { bytes }) => sum + bytes, 0))]
}

function summaryOf({ tables, at, is_as_of: isAsOf, run }: Manifest, out: string): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  const state = isAsOf ? `as of ${at}` : `of ${at}, deleted rows included`
  const last = run === null ? '' : `; last run ${run.run_id}`
  return `Wrote ${formatNumber(tables.length, 'table')} with ${formatNumber(rows, 'row')} to ${out} (${state}${last})`
}
