import { lstat, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { backupName, LATEST } from '@collab-etl/backups'
import { FILE_MODE, flushFolder, flushTree, type TemporaryDirectory } from '@collab-etl/bagit'

/**
 * Publishes a complete bag: flushes it to disk, then renames it to the time at which it was begun. If another backup has that name, waits
 * for the next free second. Returns the name.
 */
export async function publishBackup(directory: string, temporary: TemporaryDirectory, begun: Date): Promise<string> {
  await flushTree(temporary.bag)
  for (let time = begun; ; time = new Date()) {
    const name = backupName(time)
    temporary.check()
    if (await renameToFree(temporary.bag, join(directory, name))) {
      await flushFolder(directory)
      return name
    }
    await sleep(1000 - (Date.now() % 1000))
  }
}

/** Returns whether the name was free. A rename alone would replace an empty directory. */
async function renameToFree(from: string, to: string): Promise<boolean> {
  if (await exists(to)) return false
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && (await exists(to))) return false
    throw error
  }
}

/**
 * Points `latest` at a backup atomically. On file systems without symbolic links, `latest` is a file that contains the name.
 */
export async function pointLatest(directory: string, temporary: TemporaryDirectory, name: string): Promise<void> {
  const latest = join(directory, LATEST)
  const fresh = join(temporary.path, LATEST)
  try {
    await symlink(name, fresh, 'dir')
  } catch (error) {
    if (!hasCode(error, 'EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES', 'UNKNOWN')) throw error
    await writeFile(fresh, `${name}\n`, { mode: FILE_MODE })
  }
  await rename(fresh, latest)
  await flushFolder(directory)
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null)) !== null
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
