import { lstat, readFile, readlink, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { BACKUP_NAME, LATEST } from './backup-name.ts'

/** A directory with any of these is a backup, even if a damaged one. */
const MARKERS = [...Object.values(BAG_FILES), join(PAYLOAD_FOLDER, 'backup.json')]

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

/** The name of the backup that `latest` points to; `null` if there is none. */
export async function readLatest(directory: string): Promise<string | null> {
  const latest = join(directory, LATEST)
  const name = await readlink(latest)
    .catch(() => readFile(latest, 'utf8'))
    .catch(() => null)
  const trimmed = name?.trim() ?? ''
  return BACKUP_NAME.test(trimmed) ? trimmed : null
}

async function isBag(path: string): Promise<boolean> {
  for (const marker of MARKERS) {
    if (await lstat(join(path, marker)).catch(() => null)) return true
  }
  return false
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false
}
