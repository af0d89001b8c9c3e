import { tmpdir } from 'node:os'
import type { Format as BackupFormat } from '@collab-etl/backups'
import type { BagSection, BagWriter } from '@collab-etl/bagit'
import {
  type FileReferences,
  type Format,
  type ListedIssue,
  listOf,
  type PathIndex,
  type ProjectHead,
  type ProjectRecord,
  type ProjectWriter,
  type RecordFiles,
} from '@collab-etl/documents'
import { rowHash, type TableHashes, TableSums } from '@collab-etl/warehouse'
import type { ProjectReader } from '../source/project-reader.ts'
import type { Incremental } from './incremental.ts'
import type { PreviousProject } from './inputs.ts'
import type { KeptFiles } from './kept-files.ts'
import { COUNTED_KINDS, type Counts } from './options.ts'
import { peopleOf } from './people.ts'
import { TextFile } from './text-file.ts'

/** What the projects of a backup are written with. */
export interface Writing {
  /** In the order in which the manifest lists their files. */
  readonly formats: ReadonlyMap<BackupFormat, Format>
  /** Reads their records. */
  readonly reader: ProjectReader
  readonly index: PathIndex
  /** `null` for sources without versions. */
  readonly incremental: Incremental | null
  /** The files that each project's pages and posts name. */
  readonly references: FileReferences
  readonly bag: BagWriter
}

interface WritingContext {
  readonly signal: AbortSignal
  readonly temporaryPath?: string
  readonly onRecord: () => void
}

interface WrittenProject {
  /** Fields that the formats add to the project's entry in the backup manifest. */
  readonly entry: object
  readonly issues: readonly ListedIssue[]
  readonly tables: TableHashes
  /** Users that its rows name. */
  readonly people: Iterable<string>
}

/** Writes a project in all formats, or reuses its files of the previous backup. Files and issues are ordered by format. */
export async function writeProject(
  writing: Writing,
  head: ProjectHead,
  counts: Counts,
  context: WritingContext,
): Promise<WrittenProject> {
  const { formats, incremental, references } = writing
  context.signal.throwIfAborted()
  references.begin(head.pid)
  const before = incremental?.before(head.pid) ?? null
  if (incremental && before && (await incremental.reuseProject(before))) {
    const notes: Record<string, unknown> = {}
    for (const [name, format] of formats) notes[name] = await format.reuse(head, before.notes[name])
    await incremental.noteReused(before, notes)
    Object.assign(counts, before.counts)
    context.onRecord()
    return { ...before, people: before.users.map(([uid]) => uid) }
  }
  return await writeRecords(writing, head, before, counts, context)
}

/** The part of a project that a format writes. */
interface Part {
  readonly name: BackupFormat
  readonly issues: readonly ListedIssue[]
  readonly section: BagSection | null
  readonly writer: ProjectWriter
}

/** Reads all records of a project, once, and writes them in all formats. */
async function writeRecords(
  { formats, reader, index, incremental, bag }: Writing,
  head: ProjectHead,
  before: PreviousProject | null,
  counts: Counts,
  context: WritingContext,
): Promise<WrittenProject> {
  const { pid } = head
  await bag.settle()
  const filesBefore = bag.oxum.files
  if (head.row) counts.projects += 1
  using texts = new TextFile(context.temporaryPath ?? tmpdir())
  const kept = incremental?.filesOf(pid, before) ?? null
  const parts: Part[] = []
  for (const [name, format] of formats) {
    const issues: ListedIssue[] = []
    const report = (issue: ListedIssue) => void issues.push(issue)
    // The first format needs no section: its manifest lines can be written at once.
    const section = parts.length === 0 ? null : bag.section()
    const files = section ?? bag
    const writer = await format.open(head, {
      files,
      report,
      previous: kept?.before(name) ?? null,
      records: kept?.of(name, files, report) ?? newFiles(files, report),
      texts,
    })
    parts.push({ name, issues, section, writer })
  }
  const people = new Set(peopleOf({ row: head.row, lists: new Map([['project_labels', head.labels]]) }))
  const sums = new TableSums()
  if (head.row) sums.add('projects', head.row)
  for (const label of head.labels) sums.add('project_labels', label)
  for await (const record of reader.records(pid, { areTextsApart: before !== null })) {
    context.signal.throwIfAborted()
    for (const { writer } of parts) await writer.write(record)
    await addRows(record, sums, kept)
    // Webhooks name users by their ids alone.
    if (record.table !== 'webhooks') for (const uid of peopleOf(record)) people.add(uid)
    count(record, counts)
    context.onRecord()
  }
  if (formats.has('markdown')) await requireAll(index, pid, counts)
  const entry: Record<string, unknown> = {}
  const notes: Record<string, unknown> = {}
  const links = new Set<string>()
  for (const { name, writer } of parts) {
    const written = await writer.end()
    Object.assign(entry, written.entry)
    notes[name] = written.note
    for (const url of written.links) links.add(url)
  }
  for (const { section } of parts) await section?.end()
  await bag.settle()
  const issues = parts.flatMap((part) => part.issues)
  const files = bag.oxum.files - filesBefore
  const tables = sums.of()
  const inputs = { counts: { ...counts }, tables, entry, notes, issues, files, links: [...links], people }
  if (kept) await incremental?.note(pid, before, kept, inputs)
  return { entry, issues, tables, people }
}

/** Adds the rows of a record. */
async function addRows(record: ProjectRecord, sums: TableSums, kept: KeptFiles | null): Promise<void> {
  const { table, row, lists } = record
  // Of a row with a version, the texts may not have been read.
  if (kept && row['row_version'] !== undefined)
    sums.addHash(table, await kept.rowHash(record, (whole) => rowHash(table, whole)))
  else sums.add(table, row)
  for (const [list, rows] of lists) for (const each of rows) sums.add(list, each)
}

/** Adds the files of single records, of a source whose files cannot be reused. */
function newFiles(files: Pick<BagSection, 'add'>, report: (issue: ListedIssue) => void): RecordFiles {
  return {
    add: async ({ path }, render) => {
      const rendered = await render()
      await files.add(path, rendered.text)
      rendered.issues.forEach(report)
      return { links: rendered.links, rendered }
    },
    addParts: async (_record, { write }) => void (await write()),
  }
}

/** The path index was read earlier: it must not list records that the project no longer has. */
async function requireAll(index: PathIndex, pid: string, counts: Counts): Promise<void> {
  const places = await index.project(pid)
  for (const table of ['pages', 'posts'] as const) {
    if (places[table].count !== counts[table]) {
      throw new Error(`the source changed while it was read: ${table} of project ${pid}`)
    }
  }
}

/** Counts a record that was written. */
function count(record: ProjectRecord, counts: Counts): void {
  const counted = COUNTED_TABLES.find((name) => name === record.table)
  if (counted === undefined) return
  counts[counted] = (counts[counted] ?? 0) + 1
  counts.post_comments += listOf(record, 'post_comments').length
  const ofTask = listOf(record, 'task_comments').length
  if (ofTask > 0) counts.task_comments = (counts.task_comments ?? 0) + ofTask
}

const COUNTED_TABLES = ['pages', 'posts', ...COUNTED_KINDS] as const
