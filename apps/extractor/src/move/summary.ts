import { formatBytes, formatCount, formatDuration, formatNumber, formatTable, plainText } from '@collab-etl/cli'
import type { Moved, MovedTable } from '@collab-etl/warehouse/move'

const COLUMNS = [
  { header: 'table', isWhole: true },
  { header: 'rows', align: 'right' },
  { header: 'history', align: 'right' },
  { header: 'size', align: 'right' },
] as const

interface Circumstances {
  readonly schema: string
  readonly durationMs: number
  readonly width: number | undefined
}

/** What was moved, table by table, and what the operator does next. */
export function moveSummary(
  { from, to, tables, leftBehind }: Moved,
  { schema, durationMs, width }: Circumstances,
): string {
  const rows = sum(tables, 'rows')
  const { objects, roles } = leftBehind
  return [
    formatTable(COLUMNS, tableRows(tables), { width }),
    `Moved ${formatNumber(tables.length, 'table')} with ${formatNumber(rows, 'row')} (${formatBytes(sum(tables, 'bytes'))}) in ${formatDuration(durationMs)}, and compared all of them`,
    `From: ${from}`,
    `To:   ${to}, schema ${schema}`,
    ...(objects.length === 0 ? [] : [`Not moved, as others added it: ${plainText(objects.join(', '))}`]),
    ...(roles.length === 0
      ? []
      : [
          `Roles that could read it: ${plainText(roles.join(', '))}; to let them read the new one: collab-extract init ${roles.map((role) => `--grant-read ${plainText(role)}`).join(' ')}`,
        ]),
    'Set DATABASE_URL to the new database. The old warehouse can still be read; runs are refused there',
  ].join('\n')
}

function tableRows(tables: readonly MovedTable[]): unknown[][] {
  const names = [...new Set(tables.filter(({ rows }) => rows > 0).map(({ name }) => name))]
  return names.map((name) => {
    const own = tables.filter((table) => table.name === name)
    const of = (isHistory: boolean) => own.find((table) => table.isHistory === isHistory)
    const history = of(true)
    return [
      name,
      formatCount(of(false)?.rows ?? 0),
      history === undefined ? '' : formatCount(history.rows),
      formatBytes(sum(own, 'bytes')),
    ]
  })
}

function sum(tables: readonly MovedTable[], of: 'rows' | 'bytes'): number {
  return tables.reduce((total, table) => total + table[of], 0)
}
