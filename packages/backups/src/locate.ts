import { lstat, readdir, readlink, realpath, stat } from 'node:fs/promises'
import { basename, join, normalize } from 'node:path'
import { BAG_FILES, isForeignBag, OWN_MANIFEST, payloadFilesUnder, readSmallFile } from '@collab-etl/bagit'
import { UsageError } from '@collab-etl/cli'
import { ifExists } from '@collab-etl/lock'

/** A directory with any of these is a backup, even if a damaged one. */
const MARKERS = [...Object.values(BAG_FILES), OWN_MANIFEST]

/**
 * The directory of a backup by its path: the path of the backup itself, of `latest`, or of the directory that holds the backups, which
 * means its latest. `null` if there is no backup.
 */
export async function locateBackup(named: string): Promise<string | null> {
  if (await isBag(named)) return named
  // `latest` as a file, on file systems without symbolic links.
  const beside = (await isFile(named)) && named.endsWith(LATEST) ? join(named, '..') : named
  const latest = await readLatest(beside)
  const path = latest === null ? null : join(beside, latest)
  return path !== null && (await isBag(path)) ? path : null
}

/**
 * The name of the backup that `latest` points to; `null` if there is none. Only the last part of its target counts: people and copy programs
 * also write `./NAME`, `NAME/`, an absolute path, which may be from before the directory was moved, or a link to another link.
 */
export async function readLatest(directory: string): Promise<string | null> {
  const latest = join(directory, LATEST)
  const target = await readlink(latest)
    .catch(() => readSmallFile(latest))
    .catch(() => '')
  const name = basename(normalize(target.toString().trim()))
  if (BACKUP_NAME.test(name)) return name
  const real = basename(await realpath(latest).catch(() => ''))
  return BACKUP_NAME.test(real) ? real : null
}

async function isBag(path: string): Promise<boolean> {
  for (const marker of MARKERS) {
    if (await ifExists(lstat(join(path, marker)))) return true
  }
  return false
}

/**
 * Refuses a bag that another tool made. Without this check it would be reported as damaged, because it lacks files of a backup.
 * @throws UsageError
 */
export async function refuseForeignBag(bag: string, named: string): Promise<void> {
  const top = await readdir(bag).catch(() => [])
  const isThere = (await lstat(join(bag, OWN_MANIFEST)).catch(() => null)) !== null
  if (!isForeignBag(top, isThere)) return
  const listed = await payloadFilesUnder(bag, OWN_MANIFEST).catch(() => [])
  if (listed.length === 0) throw new UsageError(`${named} is a bag, but not a backup: collab-export did not write it`)
}

async function isFile(path: string): Promise<boolean> {
  return (await ifExists(stat(path)))?.isFile() ?? false
}

/** The name of a backup's directory. */
export const BACKUP_NAME = /^\d{8}T\d{6}Z$/

/** Names of the directories that are named as backups, the oldest first. */
export async function backupNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true })
  return entries.flatMap((entry) => (entry.isDirectory() && BACKUP_NAME.test(entry.name) ? [entry.name] : [])).sort()
}

/** The symbolic link to the latest backup. */
export const LATEST = 'latest'

/** The name of a backup begun at `time`: `20240131T235959Z`. The order of names is the order of times. */
export function backupName(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`
}

/** The time in a backup's name; `null` if it is not a name of a backup. */
export function timeOfBackup(name: string): Date | null {
  if (!BACKUP_NAME.test(name)) return null
  const time = new Date(name.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'))
  // `Date` rolls the 31st of February over into March.
  return !Number.isNaN(time.getTime()) && backupName(time) === name ? time : null
}
