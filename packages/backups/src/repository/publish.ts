import { lstat, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkTags, FILE_MODE, flushFolder, flushTree, type TemporaryDirectory } from '@collab-etl/bagit'
import { ifExists, keepOwner } from '@collab-etl/lock'
import { type Coverage, lackOf, ofAnother } from '../coverage.ts'
import { backupName, LATEST, readLatest } from '../locate.ts'
import { readManifestFacts } from '../manifest-facts.ts'
import { mayBeOfOneService, serviceOf } from '../service-of.ts'

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
  if (await ifExists(lstat(to))) return false
  try {
    await rename(from, to)
    return true
  } catch (error) {
    if (hasCode(error, 'ENOTEMPTY', 'EEXIST', 'EPERM') && (await ifExists(lstat(to)))) return false
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
  keepOwner(fresh)
  await rename(fresh, latest)
  await flushFolder(directory)
}

function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}

/** Why `latest` was not pointed at a backup. */
export interface NotLatest {
  /** The backup that `latest` points to. */
  readonly latest: string
  /** What the new backup lacks, for a person. */
  readonly lack: string
}

/**
 * Compares a backup with the one that `latest` points to; `null` if it covers that one, or that one cannot be read. A backup of another
 * service never takes its place, even if it is damaged.
 * @param intact a backup whose tag files need not be read, because they were intact when the new one was begun
 */
export async function lessThanLatest(
  directory: string,
  name: string,
  { intact = null }: { readonly intact?: string | null } = {},
): Promise<NotLatest | null> {
  const latest = await readLatest(directory)
  if (latest === null || latest === name) return null
  const [theirService, ownService] = [await serviceOf(join(directory, latest)), await serviceOf(join(directory, name))]
  if (!mayBeOfOneService(theirService, ownService)) return { latest, lack: ofAnother(ownService) }
  const theirs = await coverageOf(join(directory, latest), { areTagsIntact: latest === intact })
  const own = await coverageOf(join(directory, name))
  const lack = theirs && own && lackOf(own, theirs)
  return lack === null ? null : { latest, lack }
}

/** `null` if the backup is gone or the files that describe it are damaged. */
async function coverageOf(bag: string, { areTagsIntact = false } = {}): Promise<Coverage | null> {
  const [damage] = areTagsIntact ? [] : await checkTags(bag)
  return damage ? null : ((await readManifestFacts(bag))?.coverage ?? null)
}
