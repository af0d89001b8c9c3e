import { realpath, stat } from 'node:fs/promises'
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
import { BACKUP_MANIFEST, type BackupManifest, LAYOUT_VERSION, readBackupManifest } from './backup-manifest.ts'
import { locateBackup, refuseForeignBag } from './locate.ts'

/** A backup opened for diff or restore. Files are checked against the BagIt manifest before they are used. */
export class OpenedBackup {
  readonly path: string
  readonly manifest: BackupManifest
  /** The source named in bag-info.txt, if any. */
  readonly source: string | undefined
  /** `null`: the files need no check. */
  readonly #checker: FileChecker | null

  private constructor(path: string, manifest: BackupManifest, checker: FileChecker | null, source: string | undefined) {
    this.path = path
    this.source = source
    this.manifest = manifest
    this.#checker = checker
  }

  static async open(named: string): Promise<OpenedBackup> {
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
    return new OpenedBackup(path, manifest, checker, source)
  }

  /** A backup whose payload is written, up to its manifest, by this process: its files are known to be what the manifest says. */
  static async ofUnfinished(path: string, source: string): Promise<OpenedBackup> {
    const manifest = await readBackupManifest(path)
    if (manifest === null) throw new TypeError(`${path} has no backup manifest yet`)
    return new OpenedBackup(path, manifest, null, source)
  }

  /** Payload files whose paths begin with `prefix`, in the order in which they were written. */
  async *files(prefix: string): AsyncGenerator<BagFile, void, undefined> {
    const beginning = `${PAYLOAD_FOLDER}/${prefix}`
    for await (const file of payloadFiles(this.path)) if (file.path.startsWith(beginning)) yield file
  }

  /** One payload file; `null` if the manifest does not list it. */
  async file(path: string): Promise<BagFile | null> {
    for await (const file of this.files(path)) if (file.path === `${PAYLOAD_FOLDER}/${path}`) return file
    return null
  }

  /** The files of a folder with few files, found without parsing the whole manifest. `folder` ends in `/`. */
  async filesIn(folder: 'csv/'): Promise<readonly BagFile[]> {
    return await payloadFilesUnder(this.path, `${PAYLOAD_FOLDER}/${folder}`)
  }

  /** @throws DamagedBagError for the first file that differs from the manifest */
  async check(files: readonly BagFile[], onFile: () => void = () => {}): Promise<void> {
    if (this.#checker !== null) await check(this.path, this.#checker, files, onFile)
  }
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
