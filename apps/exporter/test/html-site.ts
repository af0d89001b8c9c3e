import { join } from 'node:path'
import { newScratch, scratch } from '@collab-etl/harness/scratch'
import { afterAll } from 'vitest'
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

/** A site that the tests of a file read together: written when the first of them asks for it. */
export function useSite(source: () => BackupRows): () => Promise<WrittenSite> {
  let written: Promise<WrittenSite> | undefined
  let remove = async () => {}
  afterAll(() => remove())
  const write = async () => {
    const folder = await newScratch()
    remove = folder.remove
    return await writeSite(source(), folder.path)
  }
  return () => (written ??= write())
}

/** Writes a site; without a folder, into one that is removed when the test ends. */
export async function writeSite(source: BackupRows, folder?: string): Promise<WrittenSite> {
  const bag = folder ?? (await scratch())
  const contents = await writeBag(bag, source, { formats: new Set(['html']) })
  return { bag, site: join(bag, 'data/html'), contents }
}
