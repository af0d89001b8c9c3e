import { hash } from 'node:crypto'
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { type BackupProject, csvFormOf, namedCsvRows, type OpenedBackup } from '@collab-etl/backups'
import { type BagFile, DamagedBagError, FILE_MODE, linesOf, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { parseExactJson } from '@collab-etl/contract/exact-json'
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
    return recordsOf('jsonl', backup, files, jsonlRecords(backup, `${PAYLOAD_FOLDER}/${folder}`, files))
  }
  const files = (await filesIn(backup, 'csv/')).filter(({ path }) => /\/(pages|posts)\.csv$/.test(path))
  if (files.length > 0) {
    await backup.check(files)
    const directory = await mkdtemp(join(tmpdir(), 'collab-restore-'))
    return recordsOf('csv', backup, files, csvRecords(backup, project.pid, files, directory), directory)
  }
  if (backup.manifest.formats.includes('csv')) {
    const content = backup.manifest.content?.join(', ')
    throw new UsageError(
      `${backup.path} cannot be restored: restore reads pages and posts of the CSV, and it was made with --content ${content}. ` +
        'Add --format jsonl to restore tasks',
    )
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

/** Keeps the files of records open for reading single lines. */
function recordsOf(
  form: BackupRecords['form'],
  backup: OpenedBackup,
  checked: readonly BagFile[],
  records: AsyncGenerator<PlacedRecord, void, undefined>,
  temporaryDirectory?: string,
): BackupRecords {
  const files = new Map<string, Promise<FileHandle>>()
  return {
    form,
    async *all() {
      yield* records
      // Check again: the files must not have changed while they were read.
      await backup.check(checked)
    },
    async read({ path, offset, length, sha256 }) {
      const opening = files.get(path) ?? open(path, 'r')
      files.set(path, opening)
      const { buffer, bytesRead } = await (await opening).read(Buffer.allocUnsafe(length), 0, length, offset)
      if (bytesRead !== length || hash('sha256', buffer) !== sha256) {
        const detail = 'during the restore'
        throw new DamagedBagError(backup.path, { kind: 'changed', path: relative(backup.path, path), detail })
      }
      return recordIn(buffer.toString('utf8'))
    },
    async [Symbol.asyncDispose]() {
      for (const file of files.values()) await (await file).close()
      if (temporaryDirectory !== undefined) await rm(temporaryDirectory, { recursive: true, force: true })
    },
  }
}

const JSONL_FILES = [
  { name: 'pages', kind: 'page', archived: false },
  { name: 'posts', kind: 'post', archived: false },
  { name: 'tasks', kind: 'task', archived: false },
  { name: 'archived_tasks', kind: 'task', archived: true },
] as const

async function* jsonlRecords(
  backup: OpenedBackup,
  folder: string,
  files: readonly BagFile[],
): AsyncGenerator<PlacedRecord, void, undefined> {
  for (const { name, kind, archived } of JSONL_FILES) {
    const named = `${folder}/${name}.jsonl`
    if (!files.some((file) => file.path === named)) continue
    const path = join(backup.path, named)
    let offset = 0
    for await (const line of linesOf(path)) {
      const length = Buffer.byteLength(line)
      yield { kind, archived, record: recordIn(line), place: { path, offset, length, sha256: hash('sha256', line) } }
      offset += length
    }
  }
}

/** The record of a line; a post is stored together with its comments. */
function recordIn(line: string): BackupRecord {
  const whole = parseExactJson(line) as BackupRecord // written by the formats and checked against the manifest
  const { post } = whole
  return typeof post === 'object' && post !== null ? (post as BackupRecord) : whole
}

/** Rows of CSV. They are copied to files of JSON lines, because a single CSV row cannot be read again. */
async function* csvRecords(
  backup: OpenedBackup,
  pid: string,
  files: readonly BagFile[],
  directory: string,
): AsyncGenerator<PlacedRecord, void, undefined> {
  for (const { path: named } of files) {
    const kind = named.endsWith('/pages.csv') ? 'page' : 'post'
    const path = join(directory, `${kind}.jsonl`)
    await using file = await open(path, 'wx', FILE_MODE)
    let offset = 0
    for await (const record of namedCsvRows(join(backup.path, named), csvFormOf(backup.manifest.csv))) {
      if (record['pid'] !== pid) continue
      const line = Buffer.from(`${JSON.stringify(record)}\n`)
      await file.writeFile(line)
      yield {
        kind,
        archived: false,
        record,
        place: { path, offset, length: line.length, sha256: hash('sha256', line) },
      }
      offset += line.length
    }
  }
}
