import type { Readable } from 'node:stream'
import type { CheckedFile } from '../checked-file.ts'

/** Receives the entries of an archive, one after the other. */
export interface ArchiveSink {
  /** The archive's bytes, before compression if the format does not compress by itself. */
  readonly output: Readable
  folder(path: string): Promise<void>
  /** Resolves once there is room for another. */
  file(path: string, file: CheckedFile): Promise<void>
  /** Must be called once, after the last entry. */
  end(): void
}

/** Unpacked files are accessible to their owner only. */
export const FILE_ENTRY_MODE = 0o600
export const FOLDER_ENTRY_MODE = 0o700
