import { hash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type BagFile, DamagedBagError, FILE_MODE, linesOf, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { csvFormOf, csvRows } from '../diff/csv-table.ts'
import type { OpenedBackup } from '../diff/opened-backup.ts'
import type { BackupProject } from './backup-project.ts'
import type { BackupRecord, RestoreItem } from './item.ts'

/** A record with its kind and its position in a file. */
export interface PlacedRecord {
  readonly kind: RestoreItem['kind']
  readonly archived: boolean
  readonly record: BackupRecord
  readonly place: RestoreItem['place']
}

/** The records of one project of a backup, from the first format that keeps texts unchanged. */
export interface BackupRecords extends AsyncDisposable {
  readonly form: 'jsonl' | 'csv'
  /** All records that can be created, each once. Comments of posts are not included. */
  all(): AsyncGenerator<PlacedRecord, void, undefined>
  /** Reads one of the records again. */
  read(place: RestoreItem['place']): Promise<BackupRecord>
}

/**
 * Opens the records after checking their files against the manifest.
 *
 * @throws DamagedBagError if a file differs
 * @throws UsageError if the backup has only Markdown or HTML, whose texts are rewritten
 */
export async function openRecords(backup: OpenedBackup, project: BackupProject): Promise<BackupRecords> {
  const { folder } = project.jsonl ?? {}
  if (folder !== undefined) {
    const files = await filesIn(backup, `${folder}/`)
    await backup.check(files)
    return new JsonlRecords(backup, folder, files)
  }
  const files = (await filesIn(backup, 'csv/')).filter(({ path }) => /\/(pages|posts)\.csv$/.test(path))
  if (files.length > 0) {
    await backup.check(files)
    return new CsvRecords(backup, project.pid, files)
  }
  throw new UsageError(
    `${backup.path} cannot be restored: its format (${backup.manifest.formats.join(', ')}) contains rewritten links. ` +
      'Make backups with --format jsonl or csv as well',
  )
}

async function filesIn(backup: OpenedBackup, prefix: string): Promise<BagFile[]> {
  const files: BagFile[] = []
  for await (const file of backup.files(prefix)) files.push(file)
  return files
}

/** Reads single lines; keeps the files open. */
class Lines implements AsyncDisposable {
  readonly #bag: string
  readonly #open = new Map<string, Promise<FileHandle>>()

  constructor(bag: string) {
    this.#bag = bag
  }

  async read({ path, offset, length, sha256 }: RestoreItem['place']): Promise<BackupRecord> {
    let opening = this.#open.get(path)
    if (opening === undefined) {
      opening = open(path, 'r')
      this.#open.set(path, opening)
    }
    const file = await opening
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, offset)
    if (bytesRead !== length || hash('sha256', buffer) !== sha256) {
      const detail = 'during the restore'
      throw new DamagedBagError(this.#bag, { kind: 'changed', path: relative(this.#bag, path), detail })
    }
    return parseExactJson(buffer.toString('utf8')) as BackupRecord
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const file of this.#open.values()) await (await file).close()
  }
}

const JSONL_FILES = [
  { name: 'pages', kind: 'page', archived: false },
  { name: 'posts', kind: 'post', archived: false },
  { name: 'tasks', kind: 'task', archived: false },
  { name: 'archived_tasks', kind: 'task', archived: true },
] as const

class JsonlRecords implements BackupRecords {
  readonly form = 'jsonl'
  readonly #backup: OpenedBackup
  readonly #folder: string
  readonly #names: ReadonlySet<string>
  readonly #files: readonly BagFile[]
  readonly #lines: Lines

  constructor(backup: OpenedBackup, folder: string, files: readonly BagFile[]) {
    this.#backup = backup
    this.#folder = `${PAYLOAD_FOLDER}/${folder}`
    this.#files = files
    this.#names = new Set(files.map(({ path }) => path))
    this.#lines = new Lines(backup.path)
  }

  async *all(): AsyncGenerator<PlacedRecord, void, undefined> {
    for (const { name, kind, archived } of JSONL_FILES) {
      const named = `${this.#folder}/${name}.jsonl`
      if (!this.#names.has(named)) continue
      const path = join(this.#backup.path, named)
      let offset = 0
      for await (const line of linesOf(path)) {
        const length = Buffer.byteLength(line)
        const place = { path, offset, length, sha256: hash('sha256', line) }
        yield { kind, archived, record: bareRecord(parseExactJson(line) as BackupRecord), place }
        offset += length
      }
    }
    // Check again: the files must not have changed while they were read.
    await this.#backup.check(this.#files)
  }

  async read(place: RestoreItem['place']): Promise<BackupRecord> {
    return bareRecord(await this.#lines.read(place))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#lines[Symbol.asyncDispose]()
  }
}

/** The record of a line; a post is stored together with its comments. */
function bareRecord(line: BackupRecord): BackupRecord {
  const { post } = line
  // written by `writeProjectRecords` and checked against the manifest
  return typeof post === 'object' && post !== null ? (post as BackupRecord) : line
}

/** Rows of CSV. They are copied to files of JSON lines, because a single CSV row cannot be read again. */
class CsvRecords implements BackupRecords {
  readonly form = 'csv'
  readonly #backup: OpenedBackup
  readonly #pid: string
  readonly #files: readonly BagFile[]
  readonly #lines: Lines
  #folder: string | undefined

  constructor(backup: OpenedBackup, pid: string, files: readonly BagFile[]) {
    this.#backup = backup
    this.#pid = pid
    this.#files = files
    this.#lines = new Lines(backup.path)
  }

  async *all(): AsyncGenerator<PlacedRecord, void, undefined> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'collab-restore-'))
    for (const { path: named } of this.#files) {
      const kind = named.endsWith('/pages.csv') ? 'page' : 'post'
      const path = join(this.#folder, `${kind}.jsonl`)
      const file = await open(path, 'wx', FILE_MODE)
      try {
        let offset = 0
        for await (const record of this.#rows(join(this.#backup.path, named))) {
          const line = Buffer.from(`${JSON.stringify(record)}\n`)
          await file.writeFile(line)
          const place = { path, offset, length: line.length, sha256: hash('sha256', line) }
          yield { kind, archived: false, record, place }
          offset += line.length
        }
      } finally {
        await file.close()
      }
    }
    await this.#backup.check(this.#files)
  }

  read(place: RestoreItem['place']): Promise<BackupRecord> {
    return this.#lines.read(place)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#lines[Symbol.asyncDispose]()
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true, force: true })
  }

  async *#rows(path: string): AsyncGenerator<BackupRecord, void, undefined> {
    let header: readonly (string | null)[] | undefined
    for await (const cells of csvRows(path, csvFormOf(this.#backup.manifest.csv))) {
      if (header === undefined) {
        header = cells
        continue
      }
      const record = Object.fromEntries(header.map((column, index) => [column ?? '', cells[index] ?? null]))
      if (record['pid'] === this.#pid) yield record
    }
  }
}
