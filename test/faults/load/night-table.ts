import { formatTable } from '@collab-etl/cli'
import type { Night } from './run-nights.ts'

const KILOBYTE = 1000
const MEGABYTE = 1000 * KILOBYTE

const COLUMNS: readonly (readonly [
  header: string,
  cell: (night: Night, before: Night | undefined) => string | number,
])[] = [
  ['run', ({ number }) => number],
  ['service', ({ kind }) => kind],
  ['seconds', ({ report }) => report.seconds.toFixed(1)],
  ['CPU s', ({ report }) => report.cpuSeconds.toFixed(1)],
  ['heap MB', ({ report }) => (report.heap / MEGABYTE).toFixed(2)],
  ['code MB', ({ report }) => (report.code / MEGABYTE).toFixed(2)],
  ['buffers MB', ({ report }) => (report.external / MEGABYTE).toFixed(2)],
  ['RSS MB', ({ report }) => (report.rss / MEGABYTE).toFixed(0)],
  ['handles', ({ report }) => report.handles.length],
  ['files', ({ report }) => report.files],
  ['sessions', ({ stored }) => stored.connections],
  ['requests', ({ document }) => document.requests],
  ['retries', ({ document }) => document.retries],
  ['rows written', ({ stored }, before) => stored.writes - (before?.stored.writes ?? 0)],
  ['records MB', ({ stored }) => (stored.size.records / MEGABYTE).toFixed(1)],
  ['run log kB', ({ stored }) => (stored.size.runLog / KILOBYTE).toFixed(0)],
  ['staging kB', ({ stored }) => (stored.size.staging / KILOBYTE).toFixed(0)],
]

/** A table with one line per night. */
export function nightTable(nights: readonly Night[]): string {
  return formatTable(
    COLUMNS.map(([header]) => (header === 'service' ? header : { header, align: 'right' })),
    nights.map((night, index) => COLUMNS.map(([, cell]) => cell(night, nights[index - 1]))),
  )
}
