import { type Change, findChanges } from './changes.ts'
import type { RecordFilter } from './form.ts'
import type { OpenedBackup } from './opened-backup.ts'
import { inOrder } from './order.ts'
import { pairBackups } from './pair.ts'
import { findPatches, type Patch } from './patches.ts'

export interface Comparison {
  readonly form: 'csv' | 'jsonl' | 'markdown'
  readonly changes: readonly Change[]
  /** The texts' differences; reads the backups again. */
  patches(): AsyncIterable<Patch>
}

export interface CompareOptions {
  readonly filter: RecordFilter
  readonly signal: AbortSignal
  readonly onProgress: (what: string) => void
}

/**
 * Compares two backups, record by record. Every file that is read is first checked against its manifest.
 * @throws DamagedBackup, UsageError where they have no form in common
 */
export async function compareBackups(a: OpenedBackup, b: OpenedBackup, options: CompareOptions): Promise<Comparison> {
  const { filter, signal, onProgress } = options
  const pair = await pairBackups(a, b)
  for (const backup of [a, b]) {
    onProgress(`checking ${backup.path}`)
    await backup.check(await pair.filesOf(backup), () => signal.throwIfAborted())
  }
  async function* records(backup: OpenedBackup) {
    for await (const record of inOrder(pair.records(backup, filter), backup.path)) {
      signal.throwIfAborted()
      yield record
    }
  }
  onProgress(`comparing ${a.path} with ${b.path}`)
  const changes = await findChanges(records(a), records(b))
  return { form: pair.form, changes, patches: () => findPatches(changes, records(a), records(b)) }
}
