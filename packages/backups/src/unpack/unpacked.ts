import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FOLDER_MODE } from '@collab-etl/bagit'
import { unpackArchive } from '@collab-etl/bagit/archive'
import type { Decrypter } from './decrypt-flags.ts'

export interface UnpackOptions {
  readonly decrypter: Decrypter
  readonly signal: AbortSignal
  /** `total` is 0 while it is unknown. */
  readonly onProgress: (done: number, total: number) => void
}

/**
 * Unpacks an archive below a directory, and gives the directory of its backup.
 * @throws BagError if it is damaged, or cannot be opened
 */
export async function unpacked(archive: string, directory: string, options: UnpackOptions): Promise<string> {
  const folder = join(directory, 'archive')
  await mkdir(folder, { mode: FOLDER_MODE })
  await unpackArchive(archive, folder, options)
  return folder
}
