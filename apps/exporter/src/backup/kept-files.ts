import type { Format } from '@collab-etl/backups'
import { type BagSection, DamagedBagError, openChecked, PAYLOAD_FOLDER, type TagFile } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import { TEXT_COLUMNS, wholeRecord } from '@collab-etl/contract/source'
import {
  keyOf,
  type LinkPlaces,
  type ListedIssue,
  type PreviousFiles,
  type ProjectRecord,
  type RecordFiles,
  type RecordParts,
  type Row,
} from '@collab-etl/documents'
import { digestOf, type FileInputs, fileLine, type PreviousProject, parseFileLine } from './inputs.ts'
import { peopleOf, type UserVersions } from './people.ts'

/** The tables of such records, in their order, and the columns that name them. */
const IDS: Readonly<Record<string, string>> = { tasks: 'tid', pages: 'page_id', posts: 'post_id' }
const TABLES = Object.keys(IDS)

/** A format, or the hash of a record's row. */
type Part = Format | 'rows'

/** The order in which formats add the files of a record. */
const ORDER: readonly string[] = ['markdown', 'html', 'jsonl', 'csv', 'rows'] satisfies Part[]

/** What `KeptFiles` compares with, and where it records. */
interface KeptFilesParts {
  readonly pid: string
  readonly places: LinkPlaces
  readonly users: UserVersions
  readonly fileInputs: TagFile
  /** The project in the previous backup, and the folder of that backup. */
  readonly before: PreviousProject | null
  readonly folder: string | null
}

/**
 * The files of a project that are made of one record each. Links those whose inputs are the same in the previous backup, and records the inputs
 * of all.
 */
export class KeptFiles {
  readonly #parts: KeptFilesParts
  readonly #previous: FilesInOrder
  #digest: { readonly of: ProjectRecord; readonly digest: string } | null = null
  /** The number of files so far. */
  count = 0
  /** The projects that their links name. */
  readonly linked = new Set<string>()

  constructor(parts: KeptFilesParts) {
    this.#parts = parts
    this.#previous = new FilesInOrder(parts.before?.lines ?? Buffer.alloc(0))
  }

  /** Adds files of one format. */
  of(format: Format, files: Pick<BagSection, 'add' | 'link'>, report: (issue: ListedIssue) => void): RecordFiles {
    return {
      add: async ({ record, path, around = null }, render) => {
        const { table, row } = record
        const id = keyOf(row, IDS[table] ?? '')
        const inputs = digestOf([this.#digestOf(record), path, around])
        const before = this.#previous.find(format, table, id)
        if (before !== null && before.inputs === inputs) {
          const found = await this.found(before.links)
          if (found === before.found && (await files.link(path, before))) {
            await this.#note(before)
            before.issues.forEach(report)
            return { links: before.links, rendered: null }
          }
        }
        const rendered = await render()
        const { text, links, issues } = rendered
        const written = await files.add(path, text)
        const found = await this.found(links)
        await this.#note({ ...written, format, table, id, inputs, links, found, issues })
        issues.forEach(report)
        return { links, rendered }
      },
      addParts: async (record, parts) => void (await this.#addParts(format, record, parts)),
    }
  }

  /** The hash of a record's row, whose texts are only read if they may have changed. */
  async rowHash(record: ProjectRecord, compute: (whole: Row) => string): Promise<string> {
    return await this.#addParts('rows', record, {
      copy: async (before: string) => before,
      write: async () => compute((await wholeRecord(record)).row),
    })
  }

  /** Adds parts of one format. */
  async #addParts<N>(format: Part, record: ProjectRecord, { copy, write }: RecordParts<N>): Promise<N> {
    const { table, row } = record
    const id = keyOf(row, IDS[table] ?? '')
    const inputs = this.#digestOf(record)
    const before = this.#previous.find(format, table, id)
    // the format gave it, in the same program version
    const parts = await (before?.inputs === inputs ? copy(before.parts as N) : write())
    await this.#note({ ...NO_FILE, format, table, id, inputs, parts })
    return parts
  }

  /** The previous files of a format; `null` if there are none. */
  before(format: string): PreviousFiles | null {
    const { before, folder } = this.#parts
    if (before === null || folder === null) return null
    return {
      note: before.notes[format],
      text: (path) => textBefore(folder, `${PAYLOAD_FOLDER}/${path}`, before.listed.manifest),
    }
  }

  /** Digest of the places to which addresses in the project's texts lead. */
  async found(links: readonly string[]): Promise<string> {
    const found = []
    for (const url of links) {
      const link = await this.#parts.places.find(url, this.#parts.pid)
      if (link) this.linked.add(link.pid)
      found.push(link)
    }
    return links.length === 0 ? '' : digestOf(found)
  }

  #digestOf(record: ProjectRecord): string {
    if (this.#digest?.of === record) return this.#digest.digest
    const { table, row, lists } = record
    const people = peopleOf(record).map((uid) => [uid, this.#parts.users.versionOf(uid)])
    const digest = digestOf([table, versionedRow(row), [...lists], people])
    this.#digest = { of: record, digest }
    return digest
  }

  async #note(file: FileInputs): Promise<void> {
    this.count += 1
    await this.#parts.fileInputs.write(fileLine(file))
  }
}

/** The row without its texts if it has a version, which differs if they do. They may not have been read. */
function versionedRow(row: Row): Row {
  return row['row_version'] === undefined || row['content'] === undefined ? row : { ...row, ...WITHOUT_TEXTS }
}

const WITHOUT_TEXTS = Object.fromEntries(TEXT_COLUMNS.map((column) => [column, undefined]))

const NO_FILE = { bytes: 0, sha256: '', links: [], found: '', issues: [] } as const

/** The text of a file of a bag that lines of its manifest name; `null` if it is missing or damaged. */
async function textBefore(bag: string, path: string, manifest: Buffer): Promise<string | null> {
  const at = manifest.indexOf(`  ${path}\n`)
  if (at === -1) return null
  try {
    using file = await openChecked(bag, { path, sha256: manifest.toString('latin1', at - SHA256_DIGITS, at) })
    return Buffer.isBuffer(file.content) ? file.content.toString() : null
  } catch (error) {
    if (error instanceof DamagedBagError) return null
    throw error
  }
}

const SHA256_DIGITS = 64

/** The files of a project in the previous backup, in its order. */
export function* filesIn(lines: Buffer): Generator<FileInputs, void, undefined> {
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\n', at)
    yield parseFileLine(lines.toString('utf8', at, end))
    at = end + 1
  }
}

/** Finds the files of a project in the previous backup, in the order in which they are asked for. */
class FilesInOrder {
  readonly #files: Generator<FileInputs, void, undefined>
  #next: FileInputs | null = null

  constructor(lines: Buffer) {
    this.#files = filesIn(lines)
  }

  /** A file; `null` if the previous backup does not have it. Must be called in the order of tables, ids and formats. */
  find(format: Part, table: string, id: string): FileInputs | null {
    for (;;) {
      const next = this.#next ?? this.#files.next().value ?? null
      this.#next = next
      if (next === null) return null
      const order =
        TABLES.indexOf(next.table) - TABLES.indexOf(table) ||
        compareBytes(next.id, id) ||
        ORDER.indexOf(next.format) - ORDER.indexOf(format)
      if (order > 0) return null
      this.#next = null
      if (order === 0) return next
    }
  }
}
