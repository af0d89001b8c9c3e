import type { OpenedBackup } from '@collab-etl/backups'
import type { BagFile } from '@collab-etl/bagit'

/** The payload files of a backup. Each is compared with its digest once, before it is first read. */
export class CheckedFiles {
  readonly #backup: OpenedBackup
  readonly #files: ReadonlyMap<string, BagFile>
  readonly #checks = new Map<string, Promise<void>>()

  private constructor(backup: OpenedBackup, files: ReadonlyMap<string, BagFile>) {
    this.#backup = backup
    this.#files = files
  }

  /** Lists the files of the formats that can be read. */
  static async of(backup: OpenedBackup): Promise<CheckedFiles> {
    const files = new Map<string, BagFile>()
    for (const folder of ['jsonl/', 'csv/', 'markdown/']) {
      for await (const file of backup.files(folder)) files.set(file.path.slice('data/'.length), file)
    }
    return new CheckedFiles(backup, files)
  }

  some(isWanted: (path: string) => boolean): boolean {
    return [...this.#files.keys()].some(isWanted)
  }

  /** Paths relative to `data/`. */
  paths(): IterableIterator<string> {
    return this.#files.keys()
  }

  /**
   * Whether there is such a file.
   * @throws DamagedBagError if it differs from the manifest
   */
  async checked(path: string): Promise<boolean> {
    const file = this.#files.get(path)
    if (file === undefined) return false
    const check = this.#checks.get(path) ?? this.#backup.check([file])
    this.#checks.set(path, check)
    await check
    return true
  }
}
