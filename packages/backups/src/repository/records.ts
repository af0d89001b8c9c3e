import { realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { FILE_MODE, FOLDER_MODE, readSmallFile } from '@collab-etl/bagit'
import { makeDirectory, replaceFile } from '@collab-etl/lock'
import { BACKUP_NAME, readLatest } from '../locate.ts'

/** Directory beside the backups for records about them; a finished bag must not change. */
const RECORDS_FOLDER = '.collab-export'

/** A backup in its repository. */
export interface BackupPlace {
  readonly directory: string
  readonly name: string
}

/** The repository of a backup and its name; `null` if it is not in a repository. */
export async function backupPlaceOf(bag: string): Promise<BackupPlace | null> {
  const path = await realpath(bag)
  const [directory, name] = [dirname(path), basename(path)]
  if (!BACKUP_NAME.test(name)) return null
  return (await readLatest(directory)) === null ? null : { directory, name }
}

/** Path of a record. */
export function recordPath(directory: string, ...parts: readonly string[]): string {
  return join(directory, RECORDS_FOLDER, ...parts)
}

/** Reads a record; `null` if it is missing or cannot be read. */
export async function readRecord(path: string): Promise<Readonly<Record<string, unknown>> | null> {
  try {
    const value: unknown = JSON.parse((await readSmallFile(path)).toString())
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null // just checked
  } catch {
    return null
  }
}

/** Replaces a record atomically. */
export async function writeRecord(path: string, value: unknown): Promise<void> {
  makeDirectory(dirname(path), FOLDER_MODE)
  await replaceFile(path, `${JSON.stringify(value)}\n`, FILE_MODE)
}
