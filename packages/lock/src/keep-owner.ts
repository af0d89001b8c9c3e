import { chownSync, lstatSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Gives a file that this process has just made to the owner of its directory, if this process is root: else that user could not open it.
 * @throws file system errors
 */
export function keepOwner(path: string): void {
  if (process.geteuid?.() !== 0) return
  const { uid, gid } = statSync(dirname(path))
  // some file systems decide about owners themselves
  if (lstatSync(path).uid !== uid) chownSync(path, uid, gid)
}
