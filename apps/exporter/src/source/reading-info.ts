import { BAG_LABELS } from '@collab-etl/backups'
import type { ReadRun } from '@collab-etl/warehouse'
import type { Origin } from './backup-rows.ts'

/** What bag-info.txt says of the reading that a backup is made of, in the order of its lines. A label may be repeated (RFC 8493, 2.2.2). */
export function readingInfo({
  readAt,
  runId,
  readBy,
  unfinished = [],
  asOf,
}: Origin): [label: string, value: string][] {
  return [
    [BAG_LABELS.readAt, readAt],
    ...lines(BAG_LABELS.asOf, asOf === undefined ? [] : [asOf]),
    ...lines('Collab-Run', readBy ? readBy.runs.map(runText) : runId === null ? [] : [runId]),
    ...lines('Collab-Unfinished-Run', unfinished.map(runText)),
  ]
}

function lines(label: string, values: readonly string[]): [label: string, value: string][] {
  return values.map((value) => [label, value])
}

/** A run, when it began, and how it ended. */
export function runText({ runId, startedAt, status }: ReadRun): string {
  return `${runId} (${startedAt}, ${status})`
}
