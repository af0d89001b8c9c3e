import { lchownSync, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file or directory that this process has just made to the owner of its directory, if this process is root: otherwise that user
 * could not open it. Does nothing if it is gone, or if root may not change owners, as in some containers and on some network file systems.
 */
export function keepOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(path))
    if (uid !== 0 && lstatSync(path).uid !== uid) lchownSync(path, uid, gid)
  } catch {
    // if the owner cannot open it later, the error then names the file and the remedy
  }
}
