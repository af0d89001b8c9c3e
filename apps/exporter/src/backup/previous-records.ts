import { type ListedFiles, parseManifestLine } from '@collab-etl/bagit'
import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { CsvParts } from '../csv/format.ts'
import { DOCUMENT_CSV } from '../csv/tables.ts'
import { DOCUMENTS, type DocumentsTable, type PreviousProject, parseRecordLine, type RecordInputs } from './inputs.ts'
import type { UsedUsers } from './used-users.ts'

/** A record of the previous backup. */
export interface PreviousRecord {
  readonly inputs: RecordInputs
  /** Its position among the records of its project. */
  readonly position: number
  /** Offset of its rows in each CSV file, in the order of `DOCUMENT_CSV`; `inputs.csv` has their lengths. */
  readonly starts: readonly number[]
}

/** The records of a project of the previous backup, in its order. */
export class PreviousRecords {
  readonly pid: string
  /** Users whose rows changed since the previous backup. */
  readonly changedUsers: ReadonlySet<string>
  readonly #inputs: Lines
  /** The two lists of the project's files, of which those of the records are the first. */
  readonly #listed: Readonly<Record<keyof ListedFiles, Lines>> | null
  /** Offset of the next record's rows in each CSV file. */
  #starts: readonly number[]
  #at = 0
  #next: RecordInputs | null = null

  constructor(
    before: PreviousProject,
    { users, csv, hasMarkdown }: { readonly users: UsedUsers; readonly csv: unknown; readonly hasMarkdown: boolean },
  ) {
    this.pid = before.pid
    this.#inputs = new Lines(before.lines)
    const { manifest, sizes } = before.listed
    this.#listed = hasMarkdown ? { manifest: new Lines(manifest), sizes: new Lines(sizes) } : null
    const changed = before.users.filter(([uid, version]) => users.versionOf(uid) !== version)
    this.changedUsers = new Set(changed.map(([uid]) => uid))
    const ofProject = csv ? (before.notes.at(-1) as CsvParts) : null // CSV is the last format; it wrote this note
    this.#starts = DOCUMENT_CSV.map((table) => ofProject?.[table]?.[0] ?? 0)
  }

  /** A record; `null` if the previous backup does not have it. Must be called in the order of tables and keys. */
  find(table: DocumentsTable, id: string): PreviousRecord | null {
    for (;;) {
      if (this.#at >= this.#inputs.count) return null
      this.#next ??= parseRecordLine(this.#inputs.text(this.#at))
      const inputs = this.#next
      const order = DOCUMENTS.indexOf(inputs.table) - DOCUMENTS.indexOf(table) || compareBytes(inputs.id, id)
      if (order > 0) return null
      const [position, starts] = [this.#at, this.#starts]
      this.#starts = endsOf({ inputs, starts })
      this.#at += 1
      this.#next = null
      if (order === 0) return { inputs, position, starts }
    }
  }

  /** The lines of records in the inputs file, and those of their files in the two lists. */
  linesOf(records: readonly PreviousRecord[]): ListedFiles & { readonly inputs: Buffer } {
    const runs = [...adjacent(records, ({ position }, next) => next.position === position + 1)]
    const linesIn = (lines: Lines | undefined) => {
      const parts = runs.flatMap(([first, last]) => lines?.slice(first.position, last.position + 1) ?? [])
      const [only] = parts
      return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts)
    }
    const [manifest, sizes] = [linesIn(this.#listed?.manifest), linesIn(this.#listed?.sizes)]
    return { inputs: linesIn(this.#inputs), manifest, sizes }
  }

  /** Path of a record's file in the bag; `null` without Markdown. */
  pathOf({ position }: PreviousRecord): string | null {
    return parseManifestLine(this.#listed?.manifest.text(position) ?? '')?.path ?? null
  }
}

const LINE_FEED = 10

/** Lines by their position. Each ends in a line feed. */
export class Lines {
  readonly #bytes: Buffer
  readonly #starts: number[] = []

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    for (let at = 0; at < bytes.length; at = bytes.indexOf(LINE_FEED, at) + 1) this.#starts.push(at)
  }

  /** The number of lines. */
  get count(): number {
    return this.#starts.length
  }

  /** The lines from `from` up to, not including, `to`. */
  slice(from: number, to: number): Buffer {
    return this.#bytes.subarray(this.#startOf(from), this.#startOf(to))
  }

  /** A line without its line feed; empty if there is none. */
  text(at: number): string {
    return this.#bytes.toString('utf8', this.#startOf(at), this.#startOf(at + 1) - 1)
  }

  #startOf(line: number): number {
    return this.#starts[line] ?? this.#bytes.length
  }
}

/** The first and last item of each run of adjacent ones. */
function* adjacent<T>(
  items: readonly T[],
  areAdjacent: (item: T, next: T) => boolean,
): Generator<readonly [first: T, last: T]> {
  let run: readonly [first: T, last: T] | null = null
  for (const item of items) {
    if (run !== null && !areAdjacent(run[1], item)) {
      yield run
      run = null
    }
    run = [run?.[0] ?? item, item]
  }
  if (run !== null) yield run
}

/** The parts of the CSV files that hold the rows of records; records that are adjacent there share a part. */
export function csvPartsOf(records: readonly PreviousRecord[]): CsvParts[] {
  const follows = (record: PreviousRecord, next: PreviousRecord) =>
    next.position === record.position + 1 || endsOf(record).every((end, index) => end === next.starts[index])
  return [...adjacent(records, follows)].map(([first, last]) => {
    const ends = endsOf(last)
    const parts = DOCUMENT_CSV.map((table, index) => {
      const start = first.starts[index] ?? 0
      return [table, [start, (ends[index] ?? 0) - start]]
    })
    return Object.fromEntries(parts)
  })
}

function endsOf({ inputs, starts }: Pick<PreviousRecord, 'inputs' | 'starts'>): number[] {
  return starts.map((start, index) => start + (inputs.csv[index] ?? 0))
}
