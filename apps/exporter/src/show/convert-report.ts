import { EXIT, type ExitCode, formatNumber, formatTable, type Output, plainText } from '@collab-etl/cli'
import { NOT_CONVERTED } from '../convert/not-converted.ts'
import type { Conversion } from '../convert/run-convert.ts'

/** Says what was written, and what the target cannot hold. */
export function reportConversion(
  stdout: Output,
  { notConverted, incomplete, unknownPeople, ...written }: Conversion,
  of: { readonly target: string; readonly out: string },
): void {
  const left = notConverted.totals()
  stdout.document({
    target: of.target,
    out: of.out,
    ...written,
    not_converted: notConverted.all,
    incomplete,
    unknown_people: unknownPeople,
  })
  const { projects, tasks, pages, files, format, lacking } = written
  const counts = [
    formatNumber(projects, 'project'),
    formatNumber(tasks, 'task'),
    ...(pages > 0 ? [formatNumber(pages, 'Markdown file')] : []),
  ]
  stdout.line(stdout.bold(`Converted for ${of.target}`))
  stdout.line(`  ${counts.join(', ')}; ${formatNumber(files.length, 'file')} in ${plainText(of.out)}`)
  if (left.length > 0) {
    stdout.line()
    stdout.line(`What ${of.target} has no field for (by project: ${NOT_CONVERTED}):`)
    stdout.line(
      formatTable(
        COLUMNS,
        left.map(({ kind, field, records, where }) => [kind, field, records, where]),
        { width: stdout.columns },
      ),
    )
  }
  if (lacking.length > 0) {
    stdout.line()
    stdout.line(`Not in the ${format === 'csv' ? 'CSV' : 'Markdown'} that was read (--format jsonl has all):`)
    for (const fields of lacking) stdout.line(`  ${fields}`)
  }
  for (const { pid, stream, status } of incomplete)
    stdout.line(`incomplete in the backup: ${stream}${pid === null ? '' : ` of project ${plainText(pid)}`} (${status})`)
}

const COLUMNS = [
  { header: 'kind', isWhole: true },
  { header: 'field' },
  { header: 'records', align: 'right' },
  { header: 'where' },
] as const

/** What the target cannot hold does not count; what the backup lacks does. */
export function exitCodeOfConversion({ incomplete }: Conversion): ExitCode {
  return incomplete.length > 0 ? EXIT.partial : EXIT.ok
}
