import { realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BAG_FILES,
  type BagFile,
  bagInfoValue,
  DamagedBagError,
  FileChecker,
  PAYLOAD_FOLDER,
  payloadFiles,
  payloadFilesUnder,
  readBagInfo,
  tagFiles,
} from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { tableByName } from '@collab-etl/warehouse/records'
import {
  BACKUP_MANIFEST,
  type BackupManifest,
  type BackupProject,
  LAYOUT_VERSION,
  readBackupManifest,
} from '../backup-manifest.ts'
import { contentIn } from '../content.ts'
import { locateBackup, refuseForeignBag } from '../locate.ts'
import { type CsvFiles, type CsvWhich, csvRecords, receivedCsv } from './csv.ts'
import { csvStyleOf } from './csv-rows.ts'
import type { LineSelection, OfProject } from './jsonl.ts'
import { type BackupRecord, markdownRecord } from './markdown.ts'
import { readMarkdownFile } from './markdown-file.ts'
import { compareKeys, merged } from './ordered.ts'
import { type Names, type RecordLine, readNames, rebuiltLines } from './rebuilder.ts'
import { type Place, type Received, type ReceivedFile, readAgain, receivedIn } from './received.ts'
import { JSONL_FILES, type JsonlFile, type RecordFormat, type RecordTable, TEAMS_FILE } from './record-files.ts'

/** In order of preference: those that hold most of the content first. */
const FORMATS = ['jsonl', 'csv', 'markdown'] as const satisfies readonly RecordFormat[]

/** The folders of the kinds that can have a Markdown file for each record. Files with several records are not read back. */
const MARKDOWN_FOLDERS = new Map<string, string>([
  ['pages', 'pages'],
  ['posts', 'posts'],
  ['tasks', 'tasks/notes'],
])

/** Which records are read, and how. */
export interface Which extends CsvWhich {
  /** Default: `formatOf`. */
  readonly format?: RecordFormat | undefined
  /** Which lines of a file of JSON lines are read; `null`: all. */
  readonly lines?: ((pid: string, name: string) => LineSelection | null) | undefined
  /** Which Markdown files are read; default: all. */
  readonly files?: ((file: BagFile) => boolean) | undefined
}

/** A backup whose records are read. Each file is compared with the BagIt manifest before it is first read. */
export class BackupReader {
  readonly path: string
  readonly manifest: BackupManifest
  /** The source named in bag-info.txt, if any. */
  readonly source: string | undefined
  /** `null`: the files need no check. */
  readonly #checker: FileChecker | null
  /** By format, the files of JSON lines or CSV by path, once they are listed: they are few. */
  readonly #listed = new Map<string, Promise<ReadonlyMap<string, BagFile>>>()
  /** The checks of these files, under way or done. */
  readonly #checks = new Map<BagFile, Promise<void>>()
  /** The files from which received records were read, by path. */
  readonly #received = new Map<string, ReceivedFile>()
  #names: Promise<Names> | undefined

  private constructor(path: string, manifest: BackupManifest, checker: FileChecker | null, source: string | undefined) {
    this.path = path
    this.source = source
    this.manifest = manifest
    this.#checker = checker
  }

  static async open(named: string): Promise<BackupReader> {
    const located = await locateBackup(named)
    if (located === null) throw await noBackup(named)
    await refuseForeignBag(located, named)
    const path = await realpath(located)
    const checker = new FileChecker(path)
    await tagFiles(path)
    await check(path, checker, [await manifestFile(path)])
    const manifest = await readBackupManifest(path)
    const source = bagInfoValue(await readBagInfo(path), 'Collab-Source')
    if (manifest === null)
      throw new UsageError(`${named} was not written by collab-export: its ${BACKUP_MANIFEST} has another form`)
    if ((manifest.layout ?? 1) > LAYOUT_VERSION)
      throw new UsageError(
        `${named} has layout ${manifest.layout}, and this program reads layout ${LAYOUT_VERSION}: use the newer version of the tool that wrote it`,
      )
    return new BackupReader(path, manifest, checker, source)
  }

  /** A backup that this process is writing and whose backup manifest exists. Its files are not checked. */
  static async ofUnfinished(path: string, source: string): Promise<BackupReader> {
    const manifest = await readBackupManifest(path)
    if (manifest === null) throw new TypeError(`${path} has no backup manifest yet`)
    return new BackupReader(path, manifest, null, source)
  }

  /** Payload files whose paths begin with `prefix`, in the order in which they were written. */
  async *files(prefix: string): AsyncGenerator<BagFile, void, undefined> {
    const beginning = `${PAYLOAD_FOLDER}/${prefix}`
    for await (const file of payloadFiles(this.path)) if (file.path.startsWith(beginning)) yield file
  }

  /** The first format that has the records of a table; `null` if none has. */
  formatOf(table: RecordTable): RecordFormat | null {
    return FORMATS.find((format) => this.holds(format, table)) ?? null
  }

  holds(format: RecordFormat, table: RecordTable): boolean {
    if (table === 'projects') return this.manifest.formats.includes(format)
    if (table === 'webhooks') return format === 'jsonl' && this.manifest.formats.includes(format)
    const content = contentIn(format, this.manifest)
    // JSON lines have of task groups those alone that the service listed.
    if (table === 'users' || table === 'entries')
      return format === 'csv' && content.has(table === 'users' ? table : 'tasks')
    if (table === 'project_members' || table === 'teams')
      return format === 'jsonl' ? this.manifest.formats.includes(format) : format === 'csv' && content.has('users')
    if (format === 'markdown' && table === 'tasks' && this.manifest.task_files !== 'one') return false
    return content.has(table) && (format !== 'markdown' || MARKDOWN_FOLDERS.has(table))
  }

  /**
   * The records of a table by project and key; none if no format has them.
   * @throws DamagedBagError if a file differs from the manifest
   */
  async *records(table: RecordTable, which: Which = {}): AsyncGenerator<BackupRecord, void, undefined> {
    const { format = this.formatOf(table), pids, lines } = which
    if (format === 'csv') yield* csvRecords(this.#csv(), table, which)
    else if (format === 'markdown') yield* this.#markdown(table, which)
    else if (format === 'jsonl') {
      const { jsonlRecords } = await jsonlReader()
      const key = tableByName(table).key
      if (table === 'teams') return yield* this.#teams()
      for (const project of this.manifest.projects) {
        if (pids?.(project.pid) === false) continue
        // A task is in one of two files.
        const files = await this.#jsonl(table, project)
        const records = files.map((file) => jsonlRecords(file, lines?.(project.pid, `${file.file.name}.jsonl`)))
        yield* merged(records, (a, b) => compareKeys(a.row, b.row, key))
      }
    }
  }

  /**
   * The records of a table as JSON lines hold them, whichever format has them; project by project.
   * @param holds texts in lower case: records without them may be left out
   */
  async *lines(
    table: RecordTable,
    {
      pids,
      holds,
      format = this.formatOf(table) ?? undefined,
    }: Pick<Which, 'pids' | 'format'> & { readonly holds?: readonly string[] | undefined } = {},
  ): AsyncGenerator<RecordLine, void, undefined> {
    if (format === 'jsonl') {
      for (const project of this.manifest.projects) {
        if (pids?.(project.pid) !== false) yield* this.linesOf(table, project, holds)
      }
      return
    }
    this.#names ??= readNames(this)
    yield* rebuiltLines(table, this.records(table, { pids, format }), await this.#names)
  }

  /** The JSON lines of a table of a project. */
  async *linesOf(
    table: RecordTable,
    project: BackupProject,
    holds?: readonly string[],
  ): AsyncGenerator<RecordLine, void, undefined> {
    const { jsonlLines } = await jsonlReader()
    for (const file of await this.#jsonl(table, project)) yield* jsonlLines(file, holds)
  }

  /**
   * The records of a table of a project as the service sent them.
   * @throws DamagedBagError if a file differs from the manifest
   */
  async *received(
    table: RecordTable,
    project: BackupProject,
    format: 'jsonl' | 'csv',
  ): AsyncGenerator<Received, void, undefined> {
    const isCsv = format === 'csv'
    const files = isCsv
      ? await this.#receivedCsv(table)
      : (await this.#jsonl(table, project)).map((await jsonlReader()).receivedJsonl)
    for (const file of files) {
      this.#received.set(file.path, file)
      yield* receivedIn(file, project.pid, isCsv ? 1 : 0)
    }
  }

  /**
   * Reads one of the received records again.
   * @throws DamagedBagError if the file changed meanwhile
   */
  async read(place: Place): Promise<Omit<Received, 'place'>> {
    const file = this.#received.get(place.path)
    if (file === undefined) throw new TypeError(`no record of ${place.path} was read`)
    return await readAgain(this.path, file, place)
  }

  /** Checks again each file that was read. @throws DamagedBagError if one differs from the manifest now */
  async recheck(): Promise<void> {
    await this.check([...this.#checks.keys()])
  }

  /** The files of JSON lines with the records of a table of a project. */
  async jsonlFiles(table: RecordTable, { jsonl }: BackupProject): Promise<readonly BagFile[]> {
    const listed = await this.#list('jsonl')
    return JSONL_FILES[table].flatMap((file) => listed.get(pathOf(jsonl?.folder, file)) ?? [])
  }

  /** The path of a CSV file, once it was checked; `null` if there is none. */
  async csvFile(table: string): Promise<string | null> {
    const file = (await this.#list('csv')).get(`${PAYLOAD_FOLDER}/csv/${table}.csv`)
    return file === undefined ? null : await this.checkedPath(file)
  }

  /** @throws DamagedBagError for the first file that differs from the manifest */
  async check(files: readonly BagFile[], onFile: () => void = () => {}): Promise<void> {
    if (this.#checker !== null) await check(this.path, this.#checker, files, onFile)
  }

  #csv(): CsvFiles {
    return { style: csvStyleOf(this.manifest.csv), pathOf: (table) => this.csvFile(table) }
  }

  async #receivedCsv(table: RecordTable): Promise<readonly ReceivedFile[]> {
    const path = await this.csvFile(table)
    return path === null ? [] : [receivedCsv(path, table, csvStyleOf(this.manifest.csv))]
  }

  async #jsonl(table: RecordTable, { pid, jsonl }: BackupProject): Promise<readonly OfProject[]> {
    const listed = await this.#list('jsonl')
    const sources: OfProject[] = []
    for (const file of JSONL_FILES[table]) {
      const found = listed.get(pathOf(jsonl?.folder, file))
      if (found !== undefined) sources.push({ pid, table, file, path: await this.checkedPath(found) })
    }
    return sources
  }

  /** The teams of JSON lines; none in a backup of an earlier version. */
  async *#teams(): AsyncGenerator<BackupRecord, void, undefined> {
    const { jsonlRecords } = await jsonlReader()
    const path = await this.unownedFile(TEAMS_FILE)
    if (path === null) return
    for (const file of JSONL_FILES.teams) yield* jsonlRecords({ pid: null, table: 'teams', file, path })
  }

  /** The path of a file of JSON lines that is of no project, once it was checked; `null` if there is none. */
  async unownedFile(name: string): Promise<string | null> {
    const found = (await this.#list('jsonl')).get(`${PAYLOAD_FOLDER}/jsonl/${name}.jsonl`)
    return found === undefined ? null : await this.checkedPath(found)
  }

  async *#markdown(table: RecordTable, { pids, files }: Which): AsyncGenerator<BackupRecord, void, undefined> {
    const { projects } = this.manifest
    if (table === 'projects') {
      for (const { pid, name } of projects) {
        yield { table, row: { pid, name, description: null, archived: false, extra: null }, lists: new Map() }
      }
    }
    const own = MARKDOWN_FOLDERS.get(table)
    if (own === undefined) return
    const folders = new Map(projects.map(({ pid, folder }) => [`${PAYLOAD_FOLDER}/${folder}`, { pid, folder }]))
    // Their number is that of the records: they are listed and checked anew each time.
    for await (const file of this.files('markdown/')) {
      const { pid, folder } = folders.get(file.path.split('/').slice(0, 3).join('/')) ?? {}
      const isOfTable = file.path.startsWith(`${PAYLOAD_FOLDER}/${folder}/${own}/`) && file.path.endsWith('.md')
      if (pid === undefined || !isOfTable || pids?.(pid) === false || files?.(file) === false) continue
      await this.check([file])
      yield markdownRecord(await readMarkdownFile(this.path, file.path), pid)
    }
  }

  /** The files of a format. */
  #list(folder: 'jsonl' | 'csv'): Promise<ReadonlyMap<string, BagFile>> {
    const listing =
      this.#listed.get(folder) ??
      payloadFilesUnder(this.path, `${PAYLOAD_FOLDER}/${folder}/`).then(
        (files) => new Map(files.map((file) => [file.path, file])),
      )
    this.#listed.set(folder, listing)
    return listing
  }

  /** The absolute path of a file of JSON lines or CSV, once it was checked. */
  async checkedPath(file: BagFile): Promise<string> {
    const checking = this.#checks.get(file) ?? this.check([file])
    this.#checks.set(file, checking)
    await checking
    return join(this.path, file.path)
  }
}

/** Loaded where JSON lines are read: it compiles the schemas of all records, which takes a fifth of a second. */
function jsonlReader() {
  return import('./jsonl.ts')
}

/** Path of a file of JSON lines, relative to the backup. */
function pathOf(folder: string | undefined, { name }: JsonlFile): string {
  return `${PAYLOAD_FOLDER}/${folder}/${name}.jsonl`
}

async function manifestFile(bag: string): Promise<BagFile> {
  for (const file of await payloadFilesUnder(bag, BACKUP_MANIFEST)) if (file.path === BACKUP_MANIFEST) return file
  throw new DamagedBagError(bag, {
    kind: 'missing',
    path: BACKUP_MANIFEST,
    detail: `${BAG_FILES.manifest} does not list it`,
  })
}

async function check(
  bag: string,
  checker: FileChecker,
  files: readonly BagFile[],
  onFile: () => void = () => {},
): Promise<void> {
  for (const { path, sha256 } of files) {
    const { damage } = await checker.checkContent(path, { sha256, bytes: null })
    if (damage) throw new DamagedBagError(bag, damage)
    onFile()
  }
}

async function noBackup(named: string): Promise<UsageError> {
  const isFile = (await stat(named).catch(() => null))?.isFile() ?? false
  if (isFile) return new UsageError(`${named} is a file; unpack it and name the resulting directory`)
  return new UsageError(`${named} is neither a backup nor a directory with a latest backup`)
}
