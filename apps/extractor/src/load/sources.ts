import { basename, join } from 'node:path'
import { type BackupManifest, backupNames, isOurBackup, readManifestFacts } from '@collab-etl/backups'
import { BackupBatches } from '@collab-etl/backups/batches'
import { BackupReader } from '@collab-etl/backups/read'
import { UsageError } from '@collab-etl/cli'
import { isSameService } from '@collab-etl/warehouse'
import type { OpenedBackup } from './load-backup.ts'

/** The paths of the backups in a directory that is none itself, by name; `null` if there are none. */
export async function backupsIn(directory: string): Promise<string[] | null> {
  if (await isOurBackup(directory)) return null
  const names = await backupNames(directory).catch(() => [])
  return names.length === 0 ? null : names.map((name) => join(directory, name))
}

/**
 * Opens a backup: checks its tag files and manifest, and that it says of which service it is and when it was read.
 * @param archive the name of the archive that it was unpacked from
 * @throws UsageError, DamagedBagError
 */
export async function openBackup(
  path: string,
  archive: string | null,
): Promise<OpenedBackup & { readonly baseUrl: string }> {
  const backup = await BackupReader.open(path)
  const name = archive ?? basename(backup.path)
  const facts = await readManifestFacts(backup.path)
  const readAt = facts === null ? null : newestReading(backup.manifest, facts.coverage.readAt)
  const baseUrl = facts?.coverage.baseUrl ?? null
  if (facts === null || readAt === null || baseUrl === null) {
    throw new UsageError(`${path} cannot be loaded: it does not say of which service it is, and when that was read`)
  }
  const batches = new BackupBatches(backup)
  if (batches.tables.every(({ format }) => format === null)) {
    const formats = backup.manifest.formats.join(', ')
    throw new UsageError(`${path} cannot be loaded: its only format is ${formats}. Backups with --format jsonl can be`)
  }
  return { name, backup, batches, facts, readAt, baseUrl }
}

/** When the newest data of a backup were read: several runs may have read them. */
function newestReading({ runs = [] }: BackupManifest, oldest: Date | null): Date | null {
  const times = runs.map(({ started_at }) => Date.parse(started_at)).filter((time) => !Number.isNaN(time))
  return times.length === 0 ? oldest : new Date(Math.max(...times, oldest?.getTime() ?? 0))
}

/** @throws UsageError if the backups are of several services */
export function requireOneService(backups: readonly { readonly name: string; readonly baseUrl: string }[]): void {
  const [first] = backups
  const other = backups.find(({ baseUrl }) => first !== undefined && !isSameService(baseUrl, first.baseUrl))
  if (first === undefined || other === undefined) return
  throw new UsageError(
    `the backups are of several services: ${first.name} of ${first.baseUrl}, ${other.name} of ${other.baseUrl}. Name one backup, or a directory with those of one service`,
  )
}
