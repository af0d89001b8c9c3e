import { hash } from 'node:crypto'
import { join } from 'node:path'
import {
  BagError,
  type BagWriter,
  LineReader,
  type ListedFiles,
  lastFiles,
  type ManifestEntry,
  ManifestReader,
  PAYLOAD_FOLDER,
  type TagFile,
} from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { ConversionIssue, ListedKind, PathIndex } from '@collab-etl/documents'
import { type ProjectVersions, type RecordVersion, TABLES, type TableName } from '@collab-etl/warehouse'
import type { Splice } from '../csv/format.ts'
import type { BackupSource } from '../source/backup-source.ts'
import { tablesOfContent } from '../source/limited-source.ts'
import type { BackupOptions, Counts } from './options.ts'

/** The tag file that records the inputs of a backup's files: docs/dev/backup-format.md#inputs. */
export const INPUTS_FILE = 'document-inputs.jsonl'

/** Version of the layout of this file. */
const LAYOUT = 8

/** The tables whose records have files of their own. */
export const DOCUMENTS = ['pages', 'posts'] as const

export type DocumentsTable = (typeof DOCUMENTS)[number]

/** Digests of the versions of a project's rows of each kind. */
type KindVersions = Readonly<Record<ListedKind, string>>

/** The inputs of the files that a project has of a kind, besides its rows. */
export interface KindInputs extends Pick<RecordInputs, 'users' | 'links' | 'found' | 'linked'> {
  /** Number of its Markdown files. */
  readonly files: number
  /** Of files: a digest of the pages and posts that name them, with their paths and titles. */
  readonly references: string
}

/** A project that links of another one name. */
export type LinkedProject = readonly [pid: string, version: string | null, tree: string | null]

/** The inputs of a project's files. */
export interface ProjectInputs {
  readonly pid: string
  /** Digest of the versions of its rows and the name of its folder. */
  readonly version: string
  /** Digests of the versions of its tasks, events and files, each with the rows of their lists. */
  readonly kinds: KindVersions
  /** Of those kinds that the backup holds. */
  readonly lists: Readonly<Partial<Record<ListedKind, KindInputs>>>
  /** Its folder in Markdown, relative to `data/`. */
  readonly folder: string | null
  /** Users that were looked up for its files, each with the digest of their row; `null` if there was none. */
  readonly users: readonly (readonly [uid: string, version: string | null])[]
  /** Digest of what the paths of its Markdown files depend on; `null` without Markdown. */
  readonly tree: string | null
  /** Other projects that its links name, each with its `version` and the digest of its paths; `null` if the backup does not have it. */
  readonly linked: readonly LinkedProject[]
  /** Of the texts of the project itself: its description. */
  readonly own: Pick<RecordInputs, 'links' | 'found'>
  readonly counts: Counts
  /** What the formats added to its entry in the backup manifest, and the notes that they need to reuse its files. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly notes: readonly unknown[]
  readonly issues: readonly ConversionIssue[]
  /**
   * Number of its files, which follow those of the project before in the bag's manifest, and number of record lines that follow. In
   * Markdown, the files of records come first, then those of lists by kind.
   */
  readonly files: number
  readonly records: number
}

/** The inputs of a record's file; written as an array. */
export interface RecordInputs {
  readonly table: DocumentsTable
  readonly id: string
  /** Version of its rows; empty if unknown. */
  readonly version: string
  /** Ids of the users that it names. */
  readonly users: readonly string[]
  /** The addresses in its texts, and a digest of the files that they lead to. */
  readonly links: readonly string[]
  readonly found: string
  /** Ids of the other projects that they name. */
  readonly linked: readonly string[]
  /** Bytes of its rows in each CSV file. */
  readonly csv: readonly number[]
  readonly comments: number
  /** Ids of the files of the project that it links to, and of those attached to its comments. */
  readonly named: readonly string[]
  /** Whether conversion issues were reported while it was written. Such a record is not reused, so that they are reported again. */
  readonly hasIssues: boolean
}

/** The line of a record in the inputs file, with its line feed. */
export function recordLine(record: RecordInputs): string {
  const { table, id, version, users, links, found, linked, csv, comments, named, hasIssues } = record
  return `${JSON.stringify([table, id, version, users, links, found, linked, csv, comments, named, hasIssues])}\n`
}

export function parseRecordLine(line: string): RecordInputs {
  // `recordLine` of the same program version wrote it: the first line of the file was compared.
  const [table, id, version, users, links, found, linked, csv, comments, named, hasIssues] = JSON.parse(line) as [
    ...[DocumentsTable, string, string, string[], string[], string, string[], number[], number, string[], boolean],
  ]
  return { table, id, version, users, links, found, linked, csv, comments, named, hasIssues }
}

/** Digest of a value as JSON, in 32 hexadecimal digits. */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value) ?? '', 'hex').slice(0, 32)
}

/** The addresses that were looked up, and a digest of what they lead to. */
export function linksOf(found: ReadonlyMap<string, unknown>): Pick<RecordInputs, 'links' | 'found'> {
  return { links: [...found.keys()], found: found.size === 0 ? '' : digestOf([...found.values()]) }
}

/** A project of the previous backup. */
export interface PreviousProject extends ProjectInputs {
  readonly listed: Readonly<Record<keyof ListedFiles, Buffer>>
  /** See `parseRecordLine`. */
  readonly lines: Buffer
}

/** Reads the inputs of a previous backup, project by project. */
class PreviousInputs implements Disposable {
  readonly #lines: LineReader
  readonly #files: ManifestReader
  #next: PreviousProject | null = null

  private constructor(bag: string) {
    this.#files = new ManifestReader(bag)
    this.#lines = new LineReader(join(bag, INPUTS_FILE))
  }

  /** `null` if the backup was made by another program version, with other options, or from another warehouse. */
  static open(bag: string, madeBy: string): PreviousInputs | null {
    const inputs = new PreviousInputs(bag)
    if (inputs.#lines.next() === madeBy) return inputs
    inputs[Symbol.dispose]()
    return null
  }

  /** A project; `null` if the backup does not have it. Must be called in the order of the ids. */
  project(pid: string): PreviousProject | null {
    for (;;) {
      const next = this.#next ?? this.#read()
      this.#next = next
      if (next === null || compareBytes(next.pid, pid) > 0) return null
      this.#next = null
      if (next.pid === pid) return next
    }
  }

  /** Reads the next project before it is requested, while a thread links files. */
  readAhead(): void {
    this.#next ??= this.#read()
  }

  [Symbol.dispose](): void {
    this.#lines[Symbol.dispose]()
    this.#files[Symbol.dispose]()
  }

  #read(): PreviousProject | null {
    const line = this.#lines.next()
    if (line === null) return null
    const head = JSON.parse(line) as ProjectInputs // written by the same program version
    const listed = this.#files.take(head.files)
    const lines = this.#lines.take(head.records)
    if (lines === null) throw new BagError('PREVIOUS_CHANGED', `${INPUTS_FILE} of the previous backup ends early`)
    return { ...head, listed, lines }
  }
}

/** The inputs file of a new backup, and that of the previous one. */
export interface OpenedInputs {
  /** The version of each record of a project, which covers the rows that the formats are made of. */
  readonly recordVersions: (table: DocumentsTable, pid: string) => AsyncIterable<RecordVersion>
  /** `version` of each project, see `ProjectInputs`. */
  readonly projects: ReadonlyMap<string, string>
  /** `kinds` of a project, see `ProjectInputs`. */
  readonly kindsOf: (pid: string) => KindVersions
  readonly inputs: TagFile
  readonly previous: PreviousInputs | null
  /** Opens a CSV file that copies parts of the previous one; `null` without a previous backup whose files can be reused. */
  readonly splice: Splice | null
}

/** The tables that the formats are made of, among those whose rows have versions of their project. */
function versionedTables(tables: ReadonlySet<string>): TableName[] {
  return TABLES.map(({ name }) => name).filter((name) => name !== 'users' && (name === 'projects' || tables.has(name)))
}

/**
 * Begins to read the versions of all projects, which takes Postgres a while: other queries can run beside it. Returns `null` for sources
 * without versions.
 * @param tables those that the formats are made of
 */
export function readVersions({ versions }: BackupSource, tables: ReadonlySet<string>): Promise<ProjectVersions> | null {
  const reading = versions?.projectVersions(versionedTables(tables)) ?? null
  reading?.catch(() => {}) // thrown when it is awaited
  return reading
}

/** Opens the inputs file, and that of the previous backup if its files can be reused. Returns `null` for sources without versions. */
export async function openInputs(of: {
  readonly source: BackupSource
  readonly index: PathIndex
  readonly options: BackupOptions
  readonly bag: BagWriter
  readonly projects: readonly { readonly pid: string }[]
  readonly context: { readonly software?: string; readonly previous?: string | null }
  readonly tables: ReadonlySet<string>
  readonly versions: Promise<ProjectVersions> | null
}): Promise<OpenedInputs | null> {
  const { index, options, bag } = of
  const { software, previous: folder = null } = of.context
  const { versions, origin } = of.source
  if (versions === undefined || of.versions === null || software === undefined) return null
  const tables = versionedTables(of.tables)
  const { warehouse, projects } = await of.versions
  const { formats, content, csv, linkStyle, titleHeading, naming, links, serviceHosts } = options
  const patterns = links.map(({ kind, pattern }) => [kind, pattern.source, pattern.flags])
  const made = [
    ...[
      software,
      process.version,
      [...formats].sort(),
      [...content].sort(),
      csv,
      linkStyle,
      titleHeading,
      naming,
      patterns,
      serviceHosts,
    ],
    ...[origin.baseUrl, warehouse],
  ]
  const madeBy = JSON.stringify({ inputs: LAYOUT, made_by: digestOf(made) })
  const inputs = await bag.tag(INPUTS_FILE)
  await inputs.write(`${madeBy}\n`)
  const [entries, previous] = folder === null ? [null, null] : openPrevious(folder, madeBy)
  const splice = async (path: string) => {
    const entry = entries?.get(`${PAYLOAD_FOLDER}/${path}`)
    if (entry === undefined)
      throw new BagError('PREVIOUS_CHANGED', `${path} is not in the manifest of the previous backup`)
    return await bag.splice(entry)
  }
  return {
    recordVersions: (table, pid) => versions.recordVersions(table, pid, tables),
    projects: new Map(
      of.projects.map(({ pid }) => [pid, digestOf([[...(projects.get(pid) ?? [])], index.nameOf(pid)])]),
    ),
    kindsOf: (pid) => kindVersions(projects.get(pid) ?? new Map()),
    ...{ inputs, previous, splice: previous && splice },
  }
}

function kindVersions(versions: ReadonlyMap<TableName, string>): KindVersions {
  const of = (kind: ListedKind) => digestOf(tablesOfContent(kind).map((table) => versions.get(table) ?? null))
  return { tasks: of('tasks'), events: of('events'), files: of('files') }
}

function openPrevious(
  folder: string,
  madeBy: string,
): readonly [entries: ReadonlyMap<string, ManifestEntry>, previous: PreviousInputs | null] {
  try {
    return [lastFiles(folder), PreviousInputs.open(folder, madeBy)]
  } catch (cause) {
    // `prune` may remove the previous backup at any time: then no file of it is reused.
    throw new BagError('PREVIOUS_CHANGED', `the inputs of ${folder} cannot be read`, { cause })
  }
}
