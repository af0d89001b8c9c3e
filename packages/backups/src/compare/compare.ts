import { UsageError } from '@collab-etl/cli'
import type { OpenedBackup } from '../opened-backup.ts'
import { type Change, findChanges } from './changes.ts'
import { commonCoverage, type LeftOut } from './common-coverage.ts'
import { pairCsv } from './csv-records.ts'
import type { FormPair } from './form.ts'
import { pairJsonl } from './jsonl-records.ts'
import { pairMarkdown } from './markdown-records.ts'
import { inOrder } from './order.ts'
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

/**
 * The format in which two backups are compared: CSV or JSON lines, which are exact; otherwise Markdown, if both use the same names
 * and links.
 */
async function pairBackups(a: OpenedBackup, b: OpenedBackup): Promise<FormPair> {
  const both = (format: string) => [a, b].every(({ manifest }) => manifest.formats.includes(format))
  if (both('csv')) return pairCsv(a, b)
  if (both('jsonl')) return pairJsonl(a, b)
  if (both('markdown')) {
    const links = ({ manifest }: OpenedBackup) => JSON.stringify([manifest.names ?? null, manifest.links ?? null])
    if (links(a) === links(b)) return pairMarkdown(a, b)
    throw new UsageError(
      `${a.path} and ${b.path} were written with different --links or --names, so all their texts differ`,
    )
  }
  throw new UsageError(
    `${a.path} (${formats(a)}) and ${b.path} (${formats(b)}) have no common format that can be compared: csv, jsonl or markdown`,
  )
}

function formats({ manifest }: OpenedBackup): string {
  return manifest.formats.join(',')
}
