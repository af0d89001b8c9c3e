import { basename } from 'node:path'
import { type DifferingFiles, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import type { BackupReader, Which } from '../read/backup-reader.ts'
import { csvHeader, csvStyleOf, differingRows, type RowSelection } from '../read/csv-rows.ts'
import type { LineSelection } from '../read/jsonl.ts'
import { merged } from '../read/ordered.ts'
import { CSV_LISTS, isAttachments, type RecordFormat } from '../read/record-files.ts'
import { type Columns, diffRecord } from './diff-record.ts'
import { foldEvents } from './events.ts'
import { compareRecords } from './order.ts'
import { contentOfKind, type DiffRecord, type RecordKind } from './record.ts'

/** Whether to compare the records of a kind of a project. */
export type RecordFilter = (pid: string, kind: RecordKind) => boolean

/** Two backups. */
export type Both = readonly [BackupReader, BackupReader]

/** Two backups read in a format that both have, without records that are known to be the same. */
export interface FormPair {
  /** Reads the files again with each call. */
  records(backup: BackupReader, filter: RecordFilter): AsyncGenerator<DiffRecord, void, undefined>
}

/** What has to be read of two backups in one format. */
interface Differences {
  /** `null`: nothing, the records of the kind are the same. */
  readonly which: (backup: BackupReader, kind: RecordKind) => Which | null
  /** The columns that are compared of each table; default: all. */
  readonly columns?: Columns
}

/** @param kinds those that both backups have in the format */
export async function pairOf(
  format: RecordFormat,
  both: Both,
  kinds: readonly RecordKind[],
  differing: () => DifferingFiles,
): Promise<FormPair> {
  const { which, columns } = await DIFFERENCES[format](both, kinds, differing)
  const areRecorded = taskCommentsIn(both)
  return {
    async *records(backup, filter) {
      const sources = kinds.flatMap((kind) => {
        const wanted = which(backup, kind)
        if (wanted === null) return []
        const pids = (pid: string) => filter(pid, kind) && wanted.pids?.(pid) !== false
        return [recordsOf(backup, kind, { ...wanted, format, pids }, columns)]
      })
      for await (const record of merged(sources, compareRecords)) {
        yield record.kind === 'task' && !areRecorded(record.pid) ? { ...record, comments: null } : record
      }
    },
  }
}

/** Whether both backups record the comments of a project's tasks: services need not offer them, and earlier versions did not read them. */
function taskCommentsIn(both: Both): (pid: string) => boolean {
  const pids = both.map(({ manifest: { scopes = [] } }) => {
    return new Set(scopes.flatMap(({ pid, stream }) => (stream === 'task_comments' ? [pid] : [])))
  })
  return (pid) => pids.every((recorded) => recorded.has(pid))
}

async function* recordsOf(
  backup: BackupReader,
  kind: RecordKind,
  which: Which,
  columns: Columns | undefined,
): AsyncGenerator<DiffRecord, void, undefined> {
  async function* records() {
    for await (const record of backup.records(contentOfKind(kind), which)) yield diffRecord(kind, record, columns)
  }
  if (kind === 'event') yield* foldEvents(records())
  else yield* records()
}

type FindDifferences = (
  both: Both,
  kinds: readonly RecordKind[],
  differing: () => DifferingFiles,
) => Promise<Differences>

const DIFFERENCES: Readonly<Record<RecordFormat, FindDifferences>> = {
  csv: csvDifferences,
  jsonl: jsonlDifferences,
  markdown: markdownDifferences,
}

function tablesOf(kind: RecordKind): readonly string[] {
  const table = contentOfKind(kind)
  return [table, ...CSV_LISTS[table]]
}

/**
 * Kinds with the same files are skipped, and so are records whose rows are the same in both, byte for byte. Only columns that both backups have
 * are compared, so that a column added by a newer version does not change every record.
 */
async function csvDifferences(
  both: Both,
  kinds: readonly RecordKind[],
  differing: () => DifferingFiles,
): Promise<Differences> {
  const which = await inFiles(both, kinds, differing())
  const columns = new Map<string, ReadonlySet<string>>()
  for (const table of kinds.filter((kind) => which(both[0], kind) !== null).flatMap(tablesOf)) {
    const theirs = new Set(await headerOf(both[1], table))
    const common = (await headerOf(both[0], table)).filter((column) => theirs.has(column))
    // those of tasks are not in backups of earlier versions
    if (common.length > 0) columns.set(isAttachments(table) ? 'comment_files' : table, new Set(common))
  }
  return { which, columns }
}

async function headerOf(backup: BackupReader, table: string): Promise<readonly string[]> {
  const path = await backup.csvFile(table)
  return path === null ? [] : csvHeader(path, csvStyleOf(backup.manifest.csv))
}

async function inFiles(
  both: Both,
  kinds: readonly RecordKind[],
  { before, after }: DifferingFiles,
): Promise<Differences['which']> {
  const changed = new Set([...before, ...after].map(({ path }) => path))
  const isChanged = (table: string) => changed.has(`${PAYLOAD_FOLDER}/csv/${table}.csv`)
  const [style, other] = both.map(({ manifest }) => JSON.stringify(csvStyleOf(manifest.csv)))
  const selected = new Map<RecordKind, Which>()
  for (const kind of kinds) {
    if (style === other && !tablesOf(kind).some(isChanged)) continue
    const records = style === other ? await differingRecords(both, tablesOf(kind).filter(isChanged)) : null
    selected.set(kind, records === null ? {} : { only: () => records })
  }
  return (_backup, kind) => selected.get(kind) ?? null
}

/** The records of which any row differs; `null` if the tables of the backups have different columns. */
async function differingRecords([a, b]: Both, tables: readonly string[]): Promise<RowSelection | null> {
  const all = new Set<string>()
  for (const table of tables) {
    const [before, after] = [await a.csvFile(table), await b.csvFile(table)]
    const rows = before && after ? await differingRows(before, after, csvStyleOf(a.manifest.csv)) : null
    if (rows === null) return null
    for (const row of rows) all.add(row)
  }
  return all
}

/** Files and lines that are the same in both are skipped, except lines of events, whose occurrences are compared together. */
async function jsonlDifferences(both: Both, kinds: readonly RecordKind[]): Promise<Differences> {
  const projects = both.map(({ manifest }) => new Map(manifest.projects.map((project) => [project.pid, project])))
  const filesOf = async (kind: RecordKind, pid: string, index: 0 | 1) => {
    const project = projects[index]?.get(pid)
    const files = project ? await both[index].jsonlFiles(contentOfKind(kind), project) : []
    return new Map(files.map((file) => [basename(file.path), file]))
  }
  const { differingLines } = await import('../read/jsonl.ts') // see `BackupReader`: most comparisons do not need it
  const selected = new Map<RecordKind, Map<string, ReadonlyMap<string, LineSelection | null>>>()
  for (const kind of kinds) {
    const ofProjects = new Map<string, ReadonlyMap<string, LineSelection | null>>()
    for (const pid of new Set(projects.flatMap((own) => [...own.keys()]))) {
      const lines = new Map<string, LineSelection | null>()
      const [before, after] = [await filesOf(kind, pid, 0), await filesOf(kind, pid, 1)]
      for (const name of new Set([...before.keys(), ...after.keys()])) {
        const [one, other] = [before.get(name), after.get(name)]
        if (one?.sha256 === other?.sha256) lines.set(name, NO_LINES)
        else if (kind === 'event' || !one || !other) lines.set(name, null)
        else lines.set(name, await differingLines(await both[0].checkedPath(one), await both[1].checkedPath(other)))
      }
      if ([...lines.values()].some((selection) => selection !== NO_LINES)) ofProjects.set(pid, lines)
    }
    selected.set(kind, ofProjects)
  }
  return {
    which: (_backup, kind) => ({
      pids: (pid) => selected.get(kind)?.has(pid) === true,
      lines: (pid, name) => selected.get(kind)?.get(pid)?.get(name) ?? null,
    }),
  }
}

const NO_LINES: LineSelection = new Set()

/** Characters of a digest that are kept, to save memory. */
const DIGEST_LENGTH = 32

/**
 * Files whose digest is in both manifests are skipped: a file names its record and project, so it is the same record in both. Links are
 * relative paths, so renaming a linked page changes a page in this format.
 */
async function markdownDifferences(
  [a]: Both,
  _kinds: readonly RecordKind[],
  differing: () => DifferingFiles,
): Promise<Differences> {
  const digestOf = ({ sha256 }: { readonly sha256: string }) => sha256.slice(0, DIGEST_LENGTH)
  const { before, after } = differing()
  const [left, right] = [new Set(before.map(digestOf)), new Set(after.map(digestOf))]
  const isOnlyIn = (one: ReadonlySet<string>, other: ReadonlySet<string>, digest: string) =>
    one.has(digest) && !other.has(digest)
  return {
    which: (backup) => ({
      files: (file) => (backup === a ? isOnlyIn(left, right, digestOf(file)) : isOnlyIn(right, left, digestOf(file))),
    }),
  }
}
