import { formatTable } from '@collab-etl/cli'
import type { Night } from './nights.ts'

const KILOBYTE = 1000
const MEGABYTE = 1000 * KILOBYTE

/** What was seen of each night, one a line. */
export function nightTable(nights: readonly Night[]): string {
  const right = (header: string) => ({ header, align: 'right' }) as const
  return formatTable(
    [
      ...[
        right('run'),
        'service',
        right('seconds'),
        right('CPU s'),
        right('heap MB'),
        right('buffers MB'),
        right('RSS MB'),
      ],
      ...[right('handles'), right('files'), right('sessions'), right('requests'), right('rows written')],
      ...[right('records MB'), right('ledger kB'), right('staging kB')],
    ],
    nights.map(({ number, kind, report, stored, document }, index) => [
      ...[number, kind, report.seconds.toFixed(1), report.cpuSeconds.toFixed(1)],
      ...[report.heap, report.external, report.rss].map((bytes) => (bytes / MEGABYTE).toFixed(2)),
      ...[report.handles.length, report.files, stored.connections, document.requests],
      stored.writes - (nights[index - 1]?.stored.writes ?? 0),
      (stored.size.records / MEGABYTE).toFixed(1),
      ...[stored.size.ledger, stored.size.staging].map((bytes) => (bytes / KILOBYTE).toFixed(0)),
    ]),
  )
}
