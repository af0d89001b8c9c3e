import { lchownSync, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file or directory that this process has just made to the owner of its directory, if this process is root: else that user could not
 * open it. Does nothing where root may not, as in a container, on a file system that decides about owners itself, or if it is gone.
 */
export function keepOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = statSync(dirname(path))
    if (uid !== 0 && lstatSync(path).uid !== uid) lchownSync(path, uid, gid)
  } catch {
    // what its owner cannot open is named when that user comes
  }
}
