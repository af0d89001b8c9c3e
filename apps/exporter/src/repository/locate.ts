import { lstat, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, PAYLOAD_FOLDER } from '@collab-etl/bagit'
import { LATEST } from './backup-name.ts'
import { readLatest } from './publish.ts'

/** A directory with one of these files is a bag, possibly a damaged one. */
const SIGNS = [...Object.values(BAG_FILES), join(PAYLOAD_FOLDER, 'backup.json')]

/**
 * The directory of a backup that a user named: a backup, `latest`, or a repository, which means its latest backup. Returns `null` if there is
 * none.
 */
export async function locateBackup(named: string): Promise<string | null> {
  if (await isBag(named)) return named
  // `latest` as a file, on file systems without symbolic links.
  const beside = (await isFile(named)) && named.endsWith(LATEST) ? join(named, '..') : named
  const latest = await readLatest(beside)
  const path = latest === null ? null : join(beside, latest)
  return path !== null && (await isBag(path)) ? path : null
}

async function isBag(path: string): Promise<boolean> {
  for (const sign of SIGNS) {
    if (await lstat(join(path, sign)).catch(() => null)) return true
  }
  return false
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isFile() ?? false
}
