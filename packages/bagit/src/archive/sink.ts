import type { Readable } from 'node:stream'
import type { CheckedFile } from '../checked-file.ts'

/** Where the entries of an archive go, one after the other. */
export interface ArchiveSink {
  /** The archive's bytes, before compression where the form leaves that to others. */
  readonly output: Readable
  folder(path: string): Promise<void>
  /** Resolves once there is room for another. */
  file(path: string, file: CheckedFile): Promise<void>
  /** To be called once, after the last entry. */
  end(): void
}

/** Every entry belongs to the owner alone, whoever unpacks it. */
export const FILE_ENTRY_MODE = 0o600
export const FOLDER_ENTRY_MODE = 0o700
