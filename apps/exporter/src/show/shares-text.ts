import { formatBytes, formatNumber, plainText } from '@collab-etl/cli'
import type { MadeBackup } from '../backup/make-backup.ts'

/** What of a backup is new on the disk, for `--json`. */
export function sharesDocument({ shared, fresh, before, refusal }: MadeBackup['shares']): Record<string, unknown> {
  return {
    ...{ new_files: fresh.files, new_bytes: fresh.bytes },
    shared: before === null ? null : { with: before, files: shared.files, bytes: shared.bytes },
    not_shared_because: refusal,
  }
}

/** The same, for a person. */
export function sharesLines({ shared, fresh, before, refusal }: MadeBackup['shares']): string[] {
  const own = `new bytes: ${formatBytes(fresh.bytes)} in ${formatNumber(fresh.files, 'file')}`
  const rest = `; ${formatBytes(shared.bytes)} in ${formatNumber(shared.files, 'file')} shared with ${before}`
  const lines = [before === null ? own : `${own}${rest}`]
  if (refusal !== null) lines.push(`nothing is shared with the backup before: ${plainText(refusal)}`)
  return lines
}
