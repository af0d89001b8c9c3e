import { formatBytes, formatNumber, formatTable, type Output, plainText } from '@collab-etl/cli'
import type { Removed } from '../repository/remove-backups.ts'
import type { Decision } from '../repository/retention.ts'
import { ageText } from './age.ts'

interface Pruned {
  readonly directory: string
  readonly decisions: readonly Decision[]
  /** What is gone; `null` where nothing was to be removed, but shown. */
  readonly removed: readonly Removed[] | null
  readonly now: Date
}

/** Reports for each backup whether it is kept or removed, and why. */
export function reportPrune(stdout: Output, { directory, decisions, removed, now }: Pruned): void {
  const freed = (removed ?? []).reduce((total, one) => total + one.freed.bytes, 0)
  const toRemove = decisions.filter(({ action }) => action === 'remove').length
  stdout.document({
    ...{ directory, dry_run: removed === null },
    backups: decisions.map(({ backup, action, reasons }) => ({
      ...{ name: backup.name, state: backup.state, action, reasons },
    })),
    ...{ kept: decisions.length - toRemove, removed: (removed ?? []).map(({ name }) => name), freed_bytes: freed },
  })
  if (decisions.length === 0) {
    stdout.line(`No backups in ${plainText(directory)}`)
    return
  }
  const rows = decisions.map(({ backup, action, reasons }) => [
    ...[backup.name, ageText(backup.begun, now), backup.state, action, reasons.join(', ')],
  ])
  const width = stdout.columns === undefined ? {} : { width: stdout.columns }
  stdout.line(formatTable(['backup', { header: 'age', align: 'right' }, 'state', 'action', 'why'], rows, width))
  const kept = `${formatNumber(decisions.length - toRemove, 'backup')} kept`
  if (removed === null) stdout.line(`${kept}, ${toRemove} would be removed (--dry-run)`)
  else stdout.line(`${kept}, ${removed.length} removed, ${formatBytes(freed)} freed`)
}
