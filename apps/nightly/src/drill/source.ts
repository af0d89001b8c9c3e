import { lstat, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { locateBackup } from '@collab-etl/backups'
import { listArchives } from '@collab-etl/backups/repository'
import { type Context, UsageError } from '@collab-etl/cli'
import type { JobPlan } from '../config/plan.ts'

/** What a drill recovers from. */
export interface DrillSource {
  readonly kind: 'archive' | 'backup'
  readonly name: string
  readonly path: string
  /** The key that opens it. */
  readonly identity?: string | undefined
}

/**
 * The newest archive on record that is there, also if it was cut; else the latest backup. If the job writes no archives, an archive older than
 * that backup does not count: one made by hand, perhaps by an older version, would fail every drill.
 * @throws UsageError if there is neither
 */
export async function drillSource({ log }: Pick<Context, 'log'>, { out, archive }: JobPlan): Promise<DrillSource> {
  const archives = await listArchives(out, archive?.to ?? out).catch(() => []) // the directory may be away
  const located = await locateBackup(out)
  const latest = located === null ? null : await realpath(located)
  for (const { name, path } of archives.toReversed()) {
    if (archive === undefined && latest !== null && name < basename(latest)) break
    if (!(await isFile(path))) continue
    const isEncrypted = name.endsWith('.age')
    if (!isEncrypted || archive?.identity !== undefined)
      return { kind: 'archive', name, path, ...(isEncrypted && { identity: archive?.identity }) }
    log.warn(
      `${name} cannot be opened without its key: name it under nightly.archive.identity. The newest backup is used`,
    )
    break
  }
  if (latest === null) throw new UsageError(`${out} has neither an archive nor a latest backup: make one first`)
  return { kind: 'backup', name: basename(latest), path: latest }
}

async function isFile(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => null))?.isFile() === true
}
