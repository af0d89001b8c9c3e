import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** What lies on the disk below a folder, in bytes. */
export interface DiskUse {
  /** Blocks of all files. */
  readonly files: number
  /** Blocks of files that have no other name elsewhere: what removing the folder would free of them. */
  readonly ownFiles: number
  /** Blocks of the folders themselves, which cannot be shared. */
  readonly folders: number
}

/** POSIX counts in these, whatever the file system's own blocks are. */
const BLOCK_BYTES = 512

export async function diskUse(folder: string): Promise<DiskUse> {
  const use = { files: 0, ownFiles: 0, folders: 0 }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const { blocks, nlink } = await lstat(join(entry.parentPath, entry.name))
    const bytes = blocks * BLOCK_BYTES
    if (entry.isDirectory()) use.folders += bytes
    else use.files += bytes
    if (!entry.isDirectory() && nlink === 1) use.ownFiles += bytes
  }
  return use
}
