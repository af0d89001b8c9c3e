import type { BackupManifest } from '@collab-etl/backups'
import { compareByKind, type KindsCompared } from '@collab-etl/backups/compare'
import { BackupReader } from '@collab-etl/backups/read'
import { type EarlierBackup, whyUnusable } from '@collab-etl/backups/repository'
import { DamagedBagError, type DifferingFiles } from '@collab-etl/bagit'
import { CliError } from '@collab-etl/cli'

/** What changed since an earlier backup. */
export type Changes =
  /** There is no earlier backup. */
  | { readonly state: 'first' }
  | { readonly state: 'not_compared'; readonly previous: string; readonly why: string }
  | (KindsCompared & {
      readonly state: 'compared'
      readonly previous: string
      /** Names of the projects of the previous backup, by their ids. */
      readonly projects: ReadonlyMap<string, string | null>
    })

/**
 * Compares a backup whose payload is written with the previous one. Files that are the same in both are not read. A previous backup that cannot be
 * compared does not fail this one: the result says why.
 * @param bag folder of the backup that is being written
 * @param source `api` or `warehouse`
 * @param differing the files that only one of them has; `null` if that is not known
 */
export async function changesSince(
  earlier: EarlierBackup | null,
  bag: string,
  {
    source,
    signal,
    differing,
  }: { readonly source: string; readonly signal: AbortSignal; readonly differing: DifferingFiles | null },
): Promise<Changes> {
  if (earlier === null) return { state: 'first' }
  const { name: previous, path, damage } = earlier
  if (damage !== null) return { state: 'not_compared', previous, why: damage }
  try {
    const before = await BackupReader.open(path)
    const after = await BackupReader.ofUnfinished(bag, source)
    const compared = await compareByKind(before, after, { differing, pids: null, signal, onProgress: () => {} })
    return { state: 'compared', previous, projects: namesOf(before.manifest), ...compared }
  } catch (error) {
    signal.throwIfAborted()
    return { state: 'not_compared', previous, why: reasonOf(error) }
  }
}

function namesOf({ projects }: BackupManifest): ReadonlyMap<string, string | null> {
  return new Map(projects.map(({ pid, name }) => [pid, name]))
}

/** The reason without paths of this machine: the same damage gives the same text. */
function reasonOf(error: unknown): string {
  if (error instanceof DamagedBagError) return whyUnusable(error.damage)
  return error instanceof CliError
    ? 'it is missing, or another program or a newer version wrote it'
    : 'it cannot be read'
}
