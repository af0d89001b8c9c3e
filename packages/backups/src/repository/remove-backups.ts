import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'
import { lstat, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { flushFolder, type Oxum, type TemporaryDirectory } from '@collab-etl/bagit'
import { ifExists, isMissing } from '@collab-etl/lock'
import { readLatest } from '../locate.ts'
import { isOurBackup } from '../manifest-facts.ts'
import type { ListedBackup } from './list-backups.ts'
import { removeMark } from './verified-mark.ts'

type Removable = Pick<ListedBackup, 'name' | 'archives'>

/** A removed backup and the space that this freed. */
export interface Removed {
  readonly name: string
  readonly freed: Oxum
}

/**
 * Removes a backup and its archives. It first moves them to the temporary directory, so that no partial backup has its name; if the
 * process is killed, the next run removes the temporary directory. Returns `null` if `latest` now points to the backup.
 */
export async function removeBackup(
  directory: string,
  temporary: TemporaryDirectory,
  { name, archives }: Removable,
): Promise<Removed | null> {
  if ((await readLatest(directory)) === name) return null
  // Check again: another directory may have replaced it.
  if (!(await isRemovable(join(directory, name)))) return null
  const freed = { bytes: 0, files: 0 }
  const moved: string[] = []
  // The directory last: while it exists, the next run decides about it again.
  for (const entry of [...archives.map((archive) => archive.name), name]) {
    const to = join(temporary.path, entry)
    temporary.check()
    if (await moveAway(join(directory, entry), to)) moved.push(to)
  }
  await flushFolder(directory)
  await removeMark({ directory, name })
  for (const path of moved) {
    const own = await removeTree(path)
    freed.bytes += own.bytes
    freed.files += own.files
  }
  return { name, freed }
}

/** Whether it is a backup of this tool, or already gone with only archives left. */
async function isRemovable(path: string): Promise<boolean> {
  const found = await ifExists(lstat(path))
  return found === null || (found.isDirectory() && (await isOurBackup(path)))
}

/** Returns whether it existed; another run may have removed it. */
async function moveAway(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (isMissing(error)) return false
    throw error
  }
}

/** After so many files, yield to signals and the display. */
const FILES_IN_A_ROW = 200

/** Error codes on NFS and FUSE for a file that another process holds open. It is removed later, with the temporary directory. */
const IN_USE: readonly string[] = ['EBUSY', 'ENOTEMPTY']

/** Removes a file or a directory tree. Returns the freed space: files without other hard links. */
async function removeTree(path: string): Promise<Oxum> {
  const freed = { bytes: 0, files: 0 }
  let done = 0
  async function remove(target: string): Promise<void> {
    const found = lstatSync(target)
    if (found.isDirectory()) {
      for (const name of readdirSync(target)) await remove(join(target, name))
      unlessInUse(() => rmdirSync(target))
      return
    }
    unlessInUse(() => unlinkSync(target))
    if (found.nlink === 1) {
      freed.bytes += found.size
      freed.files += 1
    }
    done += 1
    if (done % FILES_IN_A_ROW === 0) await setImmediate()
  }
  await remove(path)
  return freed
}

function unlessInUse(remove: () => void): void {
  try {
    remove()
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && IN_USE.includes(String(error.code)))) throw error
  }
}
