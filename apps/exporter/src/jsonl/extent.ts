import type { BackupOptions } from '../backup/options.ts'
import type { Extent } from '../source/backup-source.ts'

/** What a source is to give for a backup: JSON lines hold all records, the other formats show some of them. */
export function extentOf({ formats }: Pick<BackupOptions, 'formats'>): Extent {
  return formats.has('jsonl') ? 'records' : 'shown'
}
