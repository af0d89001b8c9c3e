import { type Comparison, compareBackups } from '@collab-etl/backups/compare'
import { BackupReader } from '@collab-etl/backups/read'
import { asCommand } from './as-command.ts'

/** What differs between two backups. */
export function compared(a: string, b: string): Promise<Comparison> {
  const options = { pids: null, signal: new AbortController().signal, onProgress: () => {} }
  return asCommand(async () => compareBackups(await BackupReader.open(a), await BackupReader.open(b), options))
}
