import { type Comparison, compareBackups } from '../src/diff/compare.ts'
import { OpenedBackup } from '../src/diff/opened-backup.ts'

/** What differs between two backups. */
export async function compared(a: string, b: string): Promise<Comparison> {
  return compareBackups(await OpenedBackup.open(a), await OpenedBackup.open(b), {
    pids: null,
    signal: new AbortController().signal,
    onProgress: () => {},
  })
}
