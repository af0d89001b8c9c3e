import { join } from 'node:path'
import { madeOnce, scratch } from '@collab-etl/harness/scratch'
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

/** A site that the tests of a file read together. */
export function useSite(source: () => BackupRows): () => Promise<WrittenSite> {
  return madeOnce((folder) => writeSite(source(), folder))
}

/** Writes a site; without a folder, into one that is removed when the test ends. */
export async function writeSite(source: BackupRows, folder?: string): Promise<WrittenSite> {
  const bag = folder ?? (await scratch())
  const contents = await writeBag(bag, source, { formats: new Set(['html']) })
  return { bag, site: join(bag, 'data/html'), contents }
}
