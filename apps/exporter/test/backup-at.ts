import { rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { backupName } from '@collab-etl/backups'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { backupTo } from './backup-in.ts'
import { goldenSource } from './golden-source.ts'

/** Makes a backup in a directory as if it had been begun at a time, and points `latest` at it. Gives its name. */
export async function backupAt(directory: string, time: string, source: BackupRows = goldenSource()): Promise<string> {
  const { path } = await backupTo(directory, source)
  const asIf = backupName(new Date(time))
  await rename(path, join(directory, asIf))
  await rm(join(directory, 'latest'))
  await symlink(asIf, join(directory, 'latest'))
  return asIf
}
