import { type Comparison, compareBackups } from '../src/diff/compare.ts'
import { OpenedBackup } from '../src/diff/opened-backup.ts'
import { asCommand } from './as-command.ts'

/** What differs between two backups. */
export function compared(a: string, b: string): Promise<Comparison> {
  const options = { pids: null, signal: new AbortController().signal, onProgress: () => {} }
  return asCommand(async () => compareBackups(await OpenedBackup.open(a), await OpenedBackup.open(b), options))
}
