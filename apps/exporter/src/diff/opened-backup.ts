import { readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  BAG_FILES,
  type BagFile,
  bagInfoValue,
  DamagedBagError,
  FileChecker,
  PAYLOAD_FOLDER,
  payloadFiles,
  tagFiles,
} from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { locateBackup } from '../repository/locate.ts'

/** What data/backup.json says that a comparison goes by. */
interface ReadCertificate {
  readonly formats: readonly string[]
  /** `null` without CSV. */
  readonly csv: { readonly raw_cells?: boolean; readonly delimiter?: string; readonly defused?: number } | null
  /** Absent in backups of earlier versions, which did not record what they were made for. */
  readonly coverage?: { readonly projects: 'all' | readonly string[] }
  /** The status of each scope; `pid` is `null` for the list of projects. */
  readonly scopes?: readonly {
    readonly pid: string | null
    readonly stream: string
    readonly status: string
    readonly error?: unknown
  }[]
  readonly names?: unknown
  readonly links?: unknown
  readonly projects: readonly {
    readonly pid: string
    readonly name: string | null
    readonly folder: string | null
    /** Where its JSON lines are, relative to `data/`. */
    readonly jsonl?: { readonly folder: string; readonly counts?: Readonly<Record<string, number>> }
    readonly counts?: Readonly<Record<string, number>>
  }[]
}

/** A backup that is to be compared. Files are checked against the manifest before they are believed. */
export class OpenedBackup {
  readonly path: string
  readonly certificate: ReadCertificate
  /** The source that bag-info.txt names; `undefined` if it names none. */
  readonly source: string | undefined
  readonly #checker: FileChecker

  private constructor(path: string, certificate: ReadCertificate, checker: FileChecker, source: string | undefined) {
    this.path = path
    this.source = source
    this.certificate = certificate
    this.#checker = checker
  }

  static async open(named: string): Promise<OpenedBackup> {
    const located = await locateBackup(named)
    if (located === null) throw await noBackup(named)
    const path = await realpath(located)
    const checker = new FileChecker(path)
    await check(path, checker, await tagFiles(path))
    await check(path, checker, [await certificateFile(path)])
    const parsed: unknown = JSON.parse(await readFile(join(path, CERTIFICATE), 'utf8'))
    const source = bagInfoValue(await readFile(join(path, BAG_FILES.info), 'utf8'), 'Collab-Source')
    if (isCertificate(parsed)) return new OpenedBackup(path, parsed, checker, source)
    throw new UsageError(`${named} was not written by collab-export: its ${CERTIFICATE} has another form`)
  }

  /** Payload files whose paths begin so, in the order in which they were written. */
  async *files(prefix: string): AsyncGenerator<BagFile, void, undefined> {
    const beginning = `${PAYLOAD_FOLDER}/${prefix}`
    for await (const file of payloadFiles(this.path)) if (file.path.startsWith(beginning)) yield file
  }

  /** One payload file; `null` where the manifest does not name it. */
  async file(path: string): Promise<BagFile | null> {
    for await (const file of this.files(path)) if (file.path === `${PAYLOAD_FOLDER}/${path}`) return file
    return null
  }

  /** @throws DamagedBagError at the first file that is not what the manifest says */
  async check(files: readonly BagFile[], onFile: () => void = () => {}): Promise<void> {
    await check(this.path, this.#checker, files, onFile)
  }
}

const CERTIFICATE = `${PAYLOAD_FOLDER}/backup.json`

async function certificateFile(bag: string): Promise<BagFile> {
  for await (const file of payloadFiles(bag)) if (file.path === CERTIFICATE) return file
  throw new DamagedBagError(bag, { kind: 'missing', path: CERTIFICATE, detail: `${BAG_FILES.manifest} names none` })
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

function isCertificate(value: unknown): value is ReadCertificate {
  return (
    typeof value === 'object' &&
    value !== null &&
    'formats' in value &&
    Array.isArray(value.formats) &&
    'projects' in value &&
    Array.isArray(value.projects)
  )
}

async function noBackup(named: string): Promise<UsageError> {
  const isFile = (await stat(named).catch(() => null))?.isFile() ?? false
  if (isFile) return new UsageError(`${named} is a file: unpack it first, and name the folder that comes out of it`)
  return new UsageError(`${named} is no backup, and no directory with a latest one`)
}
