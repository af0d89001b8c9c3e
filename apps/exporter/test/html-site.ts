import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import type { BackupContents } from '../src/backup/write-backup.ts'
import type { BackupRows } from '../src/source/backup-rows.ts'
import { writeBag } from './backup-in.ts'

/** A backup in HTML alone. */
export interface WrittenSite {
  readonly bag: string
  /** Folder of the site. */
  readonly site: string
  readonly contents: BackupContents
}

export async function writeSite(source: BackupRows): Promise<WrittenSite> {
  const bag = await scratch()
  const contents = await writeBag(bag, source, { formats: new Set(['html']) })
  return { bag, site: join(bag, 'data/html'), contents }
}
