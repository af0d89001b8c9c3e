import { type DifferingFiles, differingFiles } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import type { BackupReader } from '../read/backup-reader.ts'
import { merged } from '../read/ordered.ts'
import type { RecordFormat } from '../read/record-files.ts'
import { type Change, findChanges } from './changes.ts'
import { commonCoverage, type LeftOut } from './common-coverage.ts'
import { compareRecords, inOrder } from './order.ts'
import { type Both, type FormPair, pairOf } from './pair.ts'
import { findPatches, type Patch } from './patches.ts'
import { contentOfKind, RECORD_KINDS, type RecordKind, type Records } from './record.ts'

export interface Comparison extends KindsCompared {
  readonly form: RecordFormat
  /** The differences of the texts; reads the backups again. */
  patches(): AsyncIterable<Patch>
}

/** The result of a comparison. */
export interface KindsCompared {
  /** The kinds that were compared. */
  readonly kinds: readonly RecordKind[]
  readonly changes: readonly Change[]
  /** Records that were not compared because one backup, or both, does not cover them. */
  readonly leftOut: readonly LeftOut[]
}

interface CompareOptions {
  /** Only these projects; `null`: all. */
  readonly pids: ReadonlySet<string> | null
  /** The result of `differingFiles`, if the caller has it. */
  readonly differing?: DifferingFiles | null
  readonly signal: AbortSignal
  readonly onProgress: (what: string) => void
}

/**
 * Compares two backups record by record, in one format. Each file is compared with its manifest before it is read.
 *
 * @throws DamagedBagError if a file differs from its manifest
 * @throws UsageError if the backups have no format or no project in common
 */
export async function compareBackups(a: BackupReader, b: BackupReader, options: CompareOptions): Promise<Comparison> {
  const { form, kinds } = oneForm([a, b])
  const forms = new Map(kinds.map((kind) => [kind, form]))
  const { records, isEmpty, ...compared } = await comparePairs([a, b], forms, options)
  if (isEmpty) throw nothingInCommon(a, b)
  return { form, ...compared, patches: () => findPatches(compared.changes, records(a), records(b)) }
}

/**
 * Compares two backups record by record, each kind in the format that is best for it: CSV or JSON lines, which are exact, else Markdown. Kinds
 * that have no format in common are left out.
 *
 * @throws DamagedBagError if a file differs from its manifest
 */
export async function compareByKind(a: BackupReader, b: BackupReader, options: CompareOptions): Promise<KindsCompared> {
  const forms = new Map<RecordKind, RecordFormat>()
  for (const form of FORMS) {
    for (const kind of kindsIn(form, [a, b])) if (!forms.has(kind)) forms.set(kind, form)
  }
  const { changes, leftOut, kinds } = await comparePairs([a, b], forms, options)
  return { changes, leftOut, kinds }
}

/** In order of preference. */
const FORMS = ['csv', 'jsonl', 'markdown'] as const satisfies readonly RecordFormat[]

async function comparePairs(
  both: Both,
  forms: ReadonlyMap<RecordKind, RecordFormat>,
  { pids, signal, onProgress, differing: given }: CompareOptions,
): Promise<KindsCompared & { readonly records: (backup: BackupReader) => Records; readonly isEmpty: boolean }> {
  const [a, b] = both
  const kinds = [...forms.keys()]
  const common = commonCoverage(both, kinds, pids)
  const { leftOut, isEmpty } = common
  const pairs: FormPair[] = []
  async function* records(backup: BackupReader) {
    const sources = pairs.map((pair) => pair.records(backup, common.filter))
    for await (const record of inOrder(merged(sources, compareRecords), backup.path)) {
      signal.throwIfAborted()
      yield record
    }
  }
  if (isEmpty) return { kinds, leftOut, isEmpty, records, changes: [] }
  onProgress(`comparing ${a.path} with ${b.path}`)
  let found = given ?? null
  const differing = () => (found ??= differingFiles(a.path, b.path))
  for (const form of FORMS) {
    const own = kinds.filter((kind) => forms.get(kind) === form)
    if (own.length > 0) pairs.push(await pairOf(form, both, own, differing))
  }
  return { kinds, leftOut, isEmpty, records, changes: await findChanges(records(a), records(b)) }
}

function nothingInCommon(a: BackupReader, b: BackupReader): UsageError {
  return new UsageError(`${a.path} and ${b.path} have no records that both cover: there is nothing to compare`)
}

/** The kinds that both backups hold in a format in which they can be compared. */
function kindsIn(form: RecordFormat, both: Both): readonly RecordKind[] {
  if (form === 'markdown' && !haveOneStyle(both)) return []
  return RECORD_KINDS.filter((kind) => both.every((backup) => backup.holds(form, contentOfKind(kind))))
}

/**
 * The format in which two backups are compared: CSV or JSON lines, which are exact, whichever holds more kinds in both; otherwise Markdown, if
 * both use the same names and links.
 */
function oneForm(both: Both): { readonly form: RecordFormat; readonly kinds: readonly RecordKind[] } {
  const [a, b] = both
  const have = (format: string) => both.every(({ manifest }) => manifest.formats.includes(format))
  const [csv, jsonl] = [kindsIn('csv', both), kindsIn('jsonl', both)]
  if (have('csv') && csv.length >= jsonl.length) return { form: 'csv', kinds: csv }
  if (have('jsonl')) return { form: 'jsonl', kinds: jsonl }
  if (have('markdown')) {
    if (haveOneStyle(both)) return { form: 'markdown', kinds: kindsIn('markdown', both) }
    throw new UsageError(
      `${a.path} and ${b.path} were written with different --links, --names or --task-files, so all their texts differ`,
    )
  }
  throw new UsageError(
    `${a.path} (${formats(a)}) and ${b.path} (${formats(b)}) have no common format that can be compared: csv, jsonl or markdown`,
  )
}

/** Whether the Markdown of two backups has the same form. */
function haveOneStyle([a, b]: Both): boolean {
  const styleOf = ({ manifest }: BackupReader) =>
    JSON.stringify([manifest.names ?? null, manifest.links ?? null, manifest.task_files ?? null])
  return styleOf(a) === styleOf(b)
}

function formats({ manifest }: BackupReader): string {
  return manifest.formats.join(',')
}
