import { OpenedBackup } from '@collab-etl/backups'
import { type Comparison, compareBackups } from '@collab-etl/backups/compare'
import { asCommand } from './as-command.ts'

/** What differs between two backups. */
export function compared(a: string, b: string): Promise<Comparison> {
  const options = { pids: null, signal: new AbortController().signal, onProgress: () => {} }
  return asCommand(async () => compareBackups(await OpenedBackup.open(a), await OpenedBackup.open(b), options))
}
