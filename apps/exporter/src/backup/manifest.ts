import { type Format, heldContent, LAYOUT_VERSION } from '@collab-etl/backups'
import type { BagWriter } from '@collab-etl/bagit'
import { DEFUSE_RULE } from '@collab-etl/cli'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { isAccepted, notWholeScopes } from '@collab-etl/contract/streams'
import type { ListedIssue } from '@collab-etl/documents'
import type { ReadPart, ReadRun, ScopeState, TableHashes } from '@collab-etl/warehouse'
import type { ProjectRecords } from '../jsonl/format.ts'
import type { Origin, UnreadItem } from '../source/backup-rows.ts'
import type { BackupOptions, Counts } from './options.ts'

/** A project's entry in the backup manifest. */
export interface ProjectEntry {
  readonly pid: string
  readonly name: string | null
  /** Its folder in the bag; `null` without Markdown. */
  readonly folder: string | null
  readonly counts: Omit<Counts, 'projects'>
  /** Its JSON lines, if the backup has any. */
  readonly jsonl?: ProjectRecords
  /** The runs that read it, if several runs read the rows of the backup. */
  readonly read?: readonly ReadPart[]
  /** The account that read it, if the accounts have names. */
  readonly account?: string
}

/** The contents of the backup manifest. */
export interface Manifest {
  readonly options: BackupOptions
  readonly counts: Counts
  readonly tables: TableHashes
  readonly projects: readonly ProjectEntry[]
  readonly scopes: readonly ScopeState[]
  readonly unread: readonly UnreadItem[]
  readonly losses: readonly ListedIssue[]
  readonly status: BackupStatus
  readonly origin: Origin
}

/** `accepted`: only accepted failures are missing; `partial`: not every scope that the backup depends on was read completely. */
export type BackupStatus = 'complete' | 'accepted' | 'partial'

/** The status of a backup of these scopes. */
export function statusOf(scopes: readonly ScopeState[]): BackupStatus {
  if (notWholeScopes(scopes).length > 0) return 'partial'
  return scopes.some(isAccepted) ? 'accepted' : 'complete'
}

/**
 * Writes data/backup.json: one entry per line, so that it is easy to read and to compare. Two backups of the same state have
 * the same file at any time and from any source: runs and times are in bag-info.txt. If several runs read the rows, or a later run did
 * not finish, the runs are part of the state, and this file names them.
 */
export async function writeManifest(bag: BagWriter, manifest: Manifest): Promise<void> {
  const { options, counts, tables, projects, scopes, unread, losses, status, origin } = manifest
  const file = await bag.stream('backup.json')
  const { rawCells, bom, delimiter } = options.csv
  const csv = options.formats.has('csv')
    ? { raw_cells: rawCells, bom, delimiter, ...(!rawCells && { defused: DEFUSE_RULE }) }
    : null
  await file.write('{\n')
  await file.write(`"format": "collab-export backup",\n"layout": ${LAYOUT_VERSION},\n`)
  await file.write(`"status": ${JSON.stringify(status)},\n"coverage": ${JSON.stringify(coverageOf(options))},\n`)
  await file.write(`"formats": ${JSON.stringify([...options.formats].sort())},\n"csv": ${JSON.stringify(csv)},\n`)
  await file.write(`"rebuild": ${JSON.stringify(rebuiltFrom(options))},\n`)
  await file.write(`"content": ${JSON.stringify([...heldContent(options.formats, options.content)].sort())},\n`)
  await file.write(`"names": ${JSON.stringify(options.naming)},\n"links": ${JSON.stringify(options.linkStyle)},\n`)
  if (options.taskFiles === 'one') await file.write('"task_files": "one",\n')
  await file.write(`"counts": ${JSON.stringify(counts)},\n"tables": {`)
  const hashes = Object.entries(tables).map((entry) => entry.map((part) => JSON.stringify(part)).join(': '))
  await file.write(`\n${hashes.join(',\n')}\n},\n`)
  const posts = origin.listsPosts
    ? 'those that the service lists, and others that are known'
    : 'those that are known: the service lists none'
  await file.write(`"posts": ${JSON.stringify(posts)},\n`)
  if (origin.account !== null) await file.write(`"account": ${JSON.stringify(origin.account)},\n`)
  if (origin.accounts) await file.write(`"accounts": ${JSON.stringify(origin.accounts.all)},\n`)
  for (const [name, runs] of [
    ['runs', origin.readBy?.runs],
    ['unfinished_runs', origin.unfinished],
  ] as const) {
    if (runs) await file.write(`${JSON.stringify(name)}: ${JSON.stringify(runs.map(runDocument))},\n`)
  }
  await writeList(file, 'projects', projects)
  await file.write(',\n')
  await writeList(file, 'scopes', scopes)
  await file.write(',\n')
  if (unread.length > 0) {
    await writeList(file, 'unread_items', unread)
    await file.write(',\n')
  }
  await writeList(file, 'losses', losses)
  await file.write('\n}\n')
  await file.end()
}

/** The format from which a warehouse can be rebuilt: the one that holds most; `null` with HTML alone. */
function rebuiltFrom({ formats }: BackupOptions): Format | null {
  return (['jsonl', 'csv', 'markdown'] as const).find((format) => formats.has(format)) ?? null
}

/** The requested projects: all that the service lists, or those named. */
function coverageOf({ pids }: BackupOptions): { readonly projects: 'all' | readonly string[] } {
  return { projects: pids === null ? 'all' : pids.toSorted(compareBytes) }
}

/** A run as it is written in JSON. */
export function runDocument({ runId, startedAt, status }: ReadRun): Readonly<Record<string, string>> {
  return { run_id: runId, started_at: startedAt, status }
}

async function writeList(
  file: { write(text: string): Promise<void> },
  name: string,
  items: readonly unknown[],
): Promise<void> {
  await file.write(`${JSON.stringify(name)}: [`)
  let separator = '\n'
  for (const item of items) {
    await file.write(`${separator}${JSON.stringify(item)}`)
    separator = ',\n'
  }
  await file.write(separator === '\n' ? ']' : '\n]')
}
