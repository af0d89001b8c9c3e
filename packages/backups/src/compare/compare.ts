import { UsageError } from '@collab-etl/cli'
import type { OpenedBackup } from '../opened-backup.ts'
import { type Change, findChanges } from './changes.ts'
import { commonCoverage, type LeftOut } from './common-coverage.ts'
import { inOrder } from './order.ts'
import { pairBackups } from './pair.ts'
import { findPatches, type Patch } from './patches.ts'

export interface Comparison {
  readonly form: 'csv' | 'jsonl' | 'markdown'
  readonly changes: readonly Change[]
  /** Records that were not compared because one backup, or both, does not cover them. */
  readonly leftOut: readonly LeftOut[]
  /** The differences of the texts; reads the backups again. */
  patches(): AsyncIterable<Patch>
}

interface CompareOptions {
  /** Only these projects; `null`: all. */
  readonly pids: ReadonlySet<string> | null
  readonly signal: AbortSignal
  readonly onProgress: (what: string) => void
}

/**
 * Compares two backups record by record, after checking their files against the manifests.
 *
 * @throws DamagedBagError if a file differs from its manifest
 * @throws UsageError if the backups have no format or no project in common
 */
export async function compareBackups(a: OpenedBackup, b: OpenedBackup, options: CompareOptions): Promise<Comparison> {
  const { pids, signal, onProgress } = options
  const pair = await pairBackups(a, b)
  const common = commonCoverage(a, b, pids)
  if (common.isEmpty) throw nothingInCommon(a, b)
  for (const backup of [a, b]) {
    onProgress(`checking ${backup.path}`)
    await backup.check(await pair.filesOf(backup), () => signal.throwIfAborted())
  }
  async function* records(backup: OpenedBackup) {
    for await (const record of inOrder(pair.records(backup, common.filter), backup.path)) {
      signal.throwIfAborted()
      yield record
    }
  }
  onProgress(`comparing ${a.path} with ${b.path}`)
  const changes = await findChanges(records(a), records(b))
  return {
    form: pair.form,
    changes,
    leftOut: common.leftOut,
    patches: () => findPatches(changes, records(a), records(b)),
  }
}

function nothingInCommon(a: OpenedBackup, b: OpenedBackup): UsageError {
  return new UsageError(`${a.path} and ${b.path} have no pages or posts that both cover: there is nothing to compare`)
}
