import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of a backup. Files of several backups that are one on the disk have the same inode. */
export interface HeldFile {
  readonly inode: number
  readonly bytes: number
  /** As the manifest of the backup has it; `null`: a manifest itself. */
  readonly digest: string | null
}

/** The files of a backup by path, according to its manifests. */
export async function filesOf(backup: string): Promise<Map<string, HeldFile>> {
  const files = new Map<string, HeldFile>()
  const note = async (path: string, digest: string | null) => {
    const { ino: inode, size: bytes } = await stat(join(backup, path))
    files.set(path, { inode, bytes, digest })
  }
  await note('tagmanifest-sha256.txt', null)
  for (const manifest of ['manifest-sha256.txt', 'tagmanifest-sha256.txt']) {
    const lines = (await readFile(join(backup, manifest), 'utf8')).trimEnd().split('\n')
    for (const line of lines) await note(line.slice(66), line.slice(0, 64))
  }
  return files
}

/** Number of bytes that several backups have together on the disk. */
export function bytesOf(backups: readonly { readonly files: ReadonlyMap<string, HeldFile> }[]): number {
  const inodes = new Map(backups.flatMap(({ files }) => [...files.values()].map(({ inode, bytes }) => [inode, bytes])))
  return [...inodes.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Paths of files that a backup has written again, although the one before it has the same bytes there. */
export function writtenAgain(files: ReadonlyMap<string, HeldFile>, before: ReadonlyMap<string, HeldFile>): string[] {
  return [...files].flatMap(([path, { inode, digest }]) => {
    const earlier = before.get(path)
    return digest !== null && earlier?.digest === digest && earlier.inode !== inode ? [path] : []
  })
}
