import { UsageError } from '@collab-etl/cli'
import { contentIn } from '../content.ts'
import type { OpenedBackup } from '../opened-backup.ts'
import { type Change, findChanges } from './changes.ts'
import { commonCoverage, type LeftOut } from './common-coverage.ts'
import { pairCsv } from './csv-records.ts'
import type { FormPair } from './form.ts'
import { pairJsonl } from './jsonl-records.ts'
import { MARKDOWN_KINDS, pairMarkdown } from './markdown-records.ts'
import { inOrder } from './order.ts'
import { findPatches, type Patch } from './patches.ts'
import { contentOfKind, RECORD_KINDS, type RecordKind } from './record.ts'

export interface Comparison {
  readonly form: 'csv' | 'jsonl' | 'markdown'
  /** The kinds that were compared. */
  readonly kinds: readonly RecordKind[]
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
  const { pair, kinds } = await pairBackups(a, b)
  const common = commonCoverage([a, b], kinds, pids)
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
    ...{ kinds, changes },
    leftOut: common.leftOut,
    patches: () => findPatches(changes, records(a), records(b)),
  }
}

function nothingInCommon(a: OpenedBackup, b: OpenedBackup): UsageError {
  return new UsageError(`${a.path} and ${b.path} have no records that both cover: there is nothing to compare`)
}

interface PairedBackups {
  readonly pair: FormPair
  /** The kinds that both backups hold in this format. */
  readonly kinds: readonly RecordKind[]
}

/**
 * The format in which two backups are compared: CSV or JSON lines, which are exact, whichever holds more kinds in both; otherwise Markdown, if
 * both use the same names and links.
 */
async function pairBackups(a: OpenedBackup, b: OpenedBackup): Promise<PairedBackups> {
  const both = (format: string) => [a, b].every(({ manifest }) => manifest.formats.includes(format))
  const kindsIn = (format: string) =>
    RECORD_KINDS.filter((kind) => [a, b].every(({ manifest }) => contentIn(format, manifest).has(contentOfKind(kind))))
  const [csv, jsonl] = [kindsIn('csv'), kindsIn('jsonl')]
  const markdown = kindsIn('markdown').filter((kind) => MARKDOWN_KINDS.has(kind))
  if (both('csv') && csv.length >= jsonl.length) return { pair: await pairCsv(a, b, csv), kinds: csv }
  if (both('jsonl')) return { pair: await pairJsonl(a, b, jsonl), kinds: jsonl }
  if (both('markdown')) {
    const links = ({ manifest }: OpenedBackup) => JSON.stringify([manifest.names ?? null, manifest.links ?? null])
    if (links(a) === links(b)) return { pair: await pairMarkdown(a, b), kinds: markdown }
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
