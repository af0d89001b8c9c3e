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
import type { ListedIssue, PathIndex } from '@collab-etl/documents'
import { type ProjectVersions, TABLES, type TableHashes, type TableName } from '@collab-etl/warehouse'
import type { Splice } from '../csv/format.ts'
import type { BackupRows } from '../source/backup-rows.ts'
import type { BackupOptions, Counts } from './options.ts'

/** The tag files that record the inputs of a backup's files, by project and by file: docs/format.md#inputs. */
const INPUTS_FILE = 'document-inputs.jsonl'
const FILE_INPUTS_FILE = 'document-file-inputs.jsonl'
export const INPUTS_FILES: readonly string[] = [INPUTS_FILE, FILE_INPUTS_FILE]

/** Version of the layout of these files, and of the digests in them. */
const LAYOUT = 12

/** A project that links of another one name. */
export type LinkedProject = readonly [pid: string, version: string | null, tree: string | null]

/** The inputs of a project's files. */
export interface ProjectInputs {
  readonly pid: string
  /** Digest of the versions of its rows and the name of its folder. */
  readonly version: string
  /** Users that its rows name, each with the digest of their row; `null` if there is none. */
  readonly users: readonly (readonly [uid: string, version: string | null])[]
  /** Other projects that its links name, each with its `version` and the digest of its paths; `null` if the backup does not have it. */
  readonly linked: readonly LinkedProject[]
  /** The addresses in its texts that are in no file of one record, and a digest of what they lead to. */
  readonly links: readonly string[]
  readonly found: string
  readonly counts: Counts
  /** Of its rows. */
  readonly tables: TableHashes
  /** The fields that the formats added to its entry in the backup manifest, and the note that each needs to reuse its files. */
  readonly entry: Readonly<Record<string, unknown>>
  readonly notes: Readonly<Record<string, unknown>>
  readonly issues: readonly ListedIssue[]
  /** Number of its files, which follow those of the project before in the bag's manifest. */
  readonly files: number
  /** Number of its lines in the other tag file. */
  readonly records: number
}

/** A file that is made of one record, or the parts of files that are, and its inputs. */
export interface FileInputs {
  /** The format's name, and the record's table and id. */
  readonly format: string
  readonly table: string
  readonly id: string
  readonly bytes: number
  readonly sha256: string
  /** Digest of all that is known before it is rendered: path, rows, people, and what else it shows. */
  readonly inputs: string
  /** The addresses in its texts, and a digest of what they lead to. */
  readonly links: readonly string[]
  readonly found: string
  /** Its conversion issues, which are reported again when the file is reused. */
  readonly issues: readonly ListedIssue[]
  /** What the format notes if it is no file, but parts of files of several records. */
  readonly parts?: unknown
}

/** The line of a file, with its line feed. */
export function fileLine(file: FileInputs): string {
  const { format, table, id, bytes, sha256, inputs, links, found, issues, parts } = file
  return `${JSON.stringify([format, table, id, bytes, sha256, inputs, links, found, issues, parts])}\n`
}

export function parseFileLine(line: string): FileInputs {
  // `fileLine` of the same program version wrote it: the first line of the other file was compared.
  const [format, table, id, bytes, sha256, inputs, links, found, issues, parts] = JSON.parse(line) as [
    ...[string, string, string, number, string, string, string[], string, ListedIssue[], unknown],
  ]
  return { format, table, id, bytes, sha256, inputs, links, found, issues, parts }
}

/** Digest of a value as JSON, in 32 hexadecimal digits. */
export function digestOf(value: unknown): string {
  return hash('sha256', JSON.stringify(value) ?? '', 'hex').slice(0, 32)
}

/** A project of the previous backup. */
export interface PreviousProject extends ProjectInputs {
  readonly listed: Readonly<Record<keyof ListedFiles, Buffer>>
  /** Its lines in the other tag file. */
  readonly lines: Buffer
}

/** Reads the inputs of a previous backup, project by project. */
class PreviousInputs implements Disposable {
  readonly folder: string
  readonly #projects: LineReader
  readonly #lines: LineReader
  readonly #files: ManifestReader
  /** The line that has a digest of the ids of its projects. */
  #pids: string | null = null
  #next: PreviousProject | null = null

  private constructor(bag: string) {
    this.folder = bag
    this.#files = new ManifestReader(bag)
    this.#projects = new LineReader(join(bag, INPUTS_FILE))
    this.#lines = new LineReader(join(bag, FILE_INPUTS_FILE))
  }

  /** `null` if the backup was made by another program version, with other options, or from another warehouse. */
  static open(bag: string, madeBy: string): PreviousInputs | null {
    const inputs = new PreviousInputs(bag)
    if (inputs.#projects.next() === madeBy) {
      inputs.#pids = inputs.#projects.next()
      return inputs
    }
    inputs[Symbol.dispose]()
    return null
  }

  /** Whether the backup has the same projects. An address may name one of a project only because the backup has it. */
  hasProjects(pids: string): boolean {
    return this.#pids === pids
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

  [Symbol.dispose](): void {
    this.#projects[Symbol.dispose]()
    this.#lines[Symbol.dispose]()
    this.#files[Symbol.dispose]()
  }

  #read(): PreviousProject | null {
    const line = this.#projects.next()
    if (line === null) return null
    const head = JSON.parse(line) as ProjectInputs // written by the same program version
    const listed = this.#files.take(head.files)
    const lines = this.#lines.take(head.records)
    if (lines === null) throw new BagError('PREVIOUS_CHANGED', `${FILE_INPUTS_FILE} of the previous backup ends early`)
    return { ...head, listed, lines: Buffer.from(lines) }
  }
}

/** The inputs files of a new backup, and those of the previous one. */
export interface OpenedInputs {
  /** `version` of each project, see `ProjectInputs`. */
  readonly projects: ReadonlyMap<string, string>
  readonly inputs: TagFile
  readonly fileInputs: TagFile
  readonly previous: PreviousInputs | null
  /** Whether the previous backup has the same projects. */
  readonly hasSameProjects: boolean
  /** Opens a CSV file that copies parts of the previous one; `null` without a previous backup whose files can be reused. */
  readonly splice: Splice | null
}

/** Those of these tables whose rows belong to a project, and therefore count for its version. */
function versionedTables(tables: ReadonlySet<string>): TableName[] {
  const isOfProject = ({ name, columns }: (typeof TABLES)[number]) =>
    columns.some((column) => column.name === 'pid') && (name === 'projects' || tables.has(name))
  return TABLES.filter(isOfProject).map(({ name }) => name)
}

/**
 * Begins to read the versions of all projects, which takes Postgres a while: other queries can run beside it. Returns `null` for sources
 * without versions.
 * @param tables those that the formats are made of
 */
export function readVersions({ versions }: BackupRows, tables: ReadonlySet<string>): Promise<ProjectVersions> | null {
  const reading = versions?.projectVersions(versionedTables(tables)) ?? null
  reading?.catch(() => {}) // thrown when it is awaited
  return reading
}

/** Opens the inputs files, and those of the previous backup if its files can be reused. Returns `null` for sources without versions. */
export async function openInputs(of: {
  readonly source: BackupRows
  readonly index: PathIndex
  readonly options: BackupOptions
  readonly bag: BagWriter
  readonly projects: readonly { readonly pid: string }[]
  readonly context: { readonly software?: string; readonly previous?: string | null }
  readonly versions: Promise<ProjectVersions> | null
}): Promise<OpenedInputs | null> {
  const { index, bag } = of
  const { software, previous: folder = null } = of.context
  if (of.versions === null || software === undefined) return null
  const { warehouse, projects } = await of.versions
  const { origin } = of.source
  const made = [software, process.version, ...madeWith(of.options), origin.baseUrl, warehouse]
  const madeBy = JSON.stringify({ inputs: LAYOUT, made_by: digestOf(made) })
  const pids = JSON.stringify({ projects: digestOf(of.projects.map(({ pid }) => pid)) })
  const inputs = await bag.tag(INPUTS_FILE)
  await inputs.write(`${madeBy}\n${pids}\n`)
  const [entries, previous] = folder === null ? [null, null] : openPrevious(folder, madeBy)
  const splice = async (path: string, head: string) => {
    const entry = entries?.get(`${PAYLOAD_FOLDER}/${path}`)
    if (entry === undefined)
      throw new BagError('PREVIOUS_CHANGED', `${path} is not in the manifest of the previous backup`)
    return bag.splice(entry, head)
  }
  return {
    projects: new Map(
      of.projects.map(({ pid }) => [pid, digestOf([[...(projects.get(pid) ?? [])], index.nameOf(pid)])]),
    ),
    inputs,
    fileInputs: await bag.tag(FILE_INPUTS_FILE),
    previous,
    hasSameProjects: previous?.hasProjects(pids) ?? false,
    splice: previous && splice,
  }
}

/** The options that files depend on. */
function madeWith(options: BackupOptions): unknown[] {
  const { formats, content, csv, linkStyle, titleHeading, taskFiles, naming, links, serviceHosts } = options
  const patterns = links.map(({ kind, pattern }) => [kind, pattern.source, pattern.flags])
  return [
    [...formats].sort(),
    [...content].sort(),
    csv,
    linkStyle,
    titleHeading,
    taskFiles,
    naming,
    patterns,
    serviceHosts,
  ]
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
