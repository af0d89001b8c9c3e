import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Disk usage of a directory tree, in bytes. */
export interface DiskUse {
  /** Blocks of all files. */
  readonly files: number
  /** Blocks of files without other hard links: removing the directory frees them. */
  readonly ownFiles: number
  /** Blocks of the directories themselves, which cannot be linked. */
  readonly folders: number
}

/** Unit of `stat.blocks` in POSIX, independent of the file system. */
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
