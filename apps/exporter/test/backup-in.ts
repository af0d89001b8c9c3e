import type { Format } from '@collab-etl/backups'
import { CONTENT } from '@collab-etl/backups'
import { BagWriter, type LinkMode } from '@collab-etl/bagit'
import { type BackupRequest, type MadeBackup, makeBackup } from '../src/backup/make-backup.ts'
import type { BackupOptions } from '../src/backup/options.ts'
import { type BackupContents, writeBackup } from '../src/backup/write-backup.ts'
import type { BackupRows } from '../src/source/backup-rows.ts'

/** Markdown and CSV, as the command makes them by default. */
export const OPTIONS: BackupOptions = {
  formats: new Set<Format>(['markdown', 'csv']),
  content: new Set(CONTENT),
  csv: { rawCells: false, bom: false, delimiter: ',' },
  linkStyle: 'relative',
  titleHeading: 'never',
  naming: 'id-suffix',
  pids: null,
  links: [],
}

const CONTEXT = { signal: new AbortController().signal, onRecord: () => {} }

/** Writes a bag into an empty folder. */
export async function writeBag(
  folder: string,
  source: BackupRows,
  options: Partial<BackupOptions> = {},
): Promise<BackupContents> {
  const bag = await BagWriter.create(folder)
  const contents = await writeBackup(source, bag, { ...OPTIONS, ...options }, CONTEXT)
  await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
  return contents
}

/** Makes a backup in a directory. */
export function backupTo(
  directory: string,
  source: BackupRows,
  signal: AbortSignal = CONTEXT.signal,
  link: LinkMode = 'hard',
  more: Partial<Pick<BackupRequest, 'asLatest'>> = {},
): Promise<MadeBackup> {
  return makeBackup({
    ...CONTEXT,
    directory,
    options: OPTIONS,
    link,
    signal,
    software: 'test 0',
    openSource: async () => source,
    onStaleDirectories: () => {},
    ...more,
  })
}
