import { lstat, open } from 'node:fs/promises'
import { join } from 'node:path'
import { BAG_FILES, bagInfoValue, readBagInfo } from '@collab-etl/bagit'
import { isAccepted, isWhole, NO_PERMISSION, notWholeScopes } from '@collab-etl/contract/streams'
import { BACKUP_MANIFEST, type BackupManifest, readBackupManifest } from './backup-manifest.ts'
import { contentOf } from './content.ts'
import type { Coverage } from './coverage.ts'
import { BAG_LABELS } from './service-of.ts'

/** What a backup manifest states about the contents of the backup. */
export interface ManifestFacts {
  readonly formats: readonly string[]
  /** Whether all streams of the backup were read completely; `accepted`: except for accepted failures. */
  readonly data: 'whole' | 'accepted' | 'partial'
  readonly coverage: Coverage
  /** Whether it was made from a warehouse. */
  readonly isOfWarehouse: boolean
}

/** The first lines of data/backup.json, which identify backups of this tool. */
const BEGINNING = '{\n"format": "collab-export backup",\n'

/**
 * Whether a directory is a backup that this tool wrote: it has bagit.txt, and its backup manifest has the beginning that this tool
 * writes. `verify` reports any other damage.
 */
export async function isOurBackup(bag: string): Promise<boolean> {
  const [declaration, manifest] = await Promise.all([
    beginningOf(join(bag, BAG_FILES.declaration), 'BagIt-Version:'.length),
    beginningOf(join(bag, BACKUP_MANIFEST), BEGINNING.length),
  ])
  return declaration === 'BagIt-Version:' && manifest === BEGINNING
}

/** The first bytes of a file; `null` if it cannot be read. */
async function beginningOf(path: string, length: number): Promise<string | null> {
  try {
    // Opening a named pipe would block.
    if (!(await lstat(path)).isFile()) return null
    await using file = await open(path)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } catch {
    return null
  }
}

/** Reads what a backup covers from its manifest. Returns `null` if it cannot be read or is not a backup manifest. */
export async function readManifestFacts(bag: string): Promise<ManifestFacts | null> {
  try {
    const manifest = await readBackupManifest(bag)
    const info = await readBagInfo(bag).catch(() => '')
    return manifest?.scopes === undefined ? null : factsOf(manifest, manifest.scopes, info)
  } catch {
    return null
  }
}

function factsOf(manifest: BackupManifest, scopes: NonNullable<BackupManifest['scopes']>, info: string): ManifestFacts {
  const { formats, coverage, projects } = manifest
  const listed = new Set(projects.map(({ pid }) => pid))
  // of a project without permission it holds nothing, whichever streams were known to be offered when it was made
  const byProject = Map.groupBy(scopes, ({ pid }) => pid)
  const isBarred = (pid: string) => byProject.get(pid)?.every(({ error }) => error?.code === NO_PERMISSION) === true
  const held = new Set([...listed].filter((pid) => !isBarred(pid)))
  const missing = new Map<string | null, Set<string>>()
  const accepted = new Map<string | null, Set<string>>()
  for (const scope of scopes.filter((each) => !isWhole(each))) {
    const lacking = isAccepted(scope) ? accepted : missing
    lacking.set(scope.pid, (lacking.get(scope.pid) ?? new Set()).add(scope.stream))
  }
  const readAt = timeIn(info, BAG_LABELS.readAt)
  const isOfWarehouse = bagInfoValue(info, 'Collab-Source') === 'warehouse'
  // Earlier versions did not record which projects the backup was made for: use those that it names.
  const named = coverage?.projects ?? [...listed, ...scopes.flatMap(({ pid }) => pid ?? [])]
  return {
    formats,
    isOfWarehouse,
    data: notWholeScopes(scopes).length > 0 ? 'partial' : accepted.size > 0 ? 'accepted' : 'whole',
    coverage: {
      projects: named === 'all' ? null : new Set(named),
      formats,
      content: contentOf(manifest),
      held,
      missing,
      accepted,
      readAt,
      begunAt: timeIn(info, BAG_LABELS.begunAt),
      baseUrl: bagInfoValue(info, BAG_LABELS.baseUrl) ?? null,
      // They did not record --as-of either: use the time of the run.
      asOf: timeIn(info, BAG_LABELS.asOf) ?? (coverage === undefined && isOfWarehouse ? readAt : null),
    },
  }
}

function timeIn(info: string, label: string): Date | null {
  const time = new Date(bagInfoValue(info, label) ?? '')
  return Number.isNaN(time.getTime()) ? null : time
}
