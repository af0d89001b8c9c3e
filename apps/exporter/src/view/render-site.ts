import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupManifest, type Content, contentIn } from '@collab-etl/backups'
import type { BackupReader, RecordFormat } from '@collab-etl/backups/read'
import { BagWriter, type TemporaryDirectory } from '@collab-etl/bagit'
import type { LinkPattern } from '@collab-etl/core'
import { NAMINGS } from '@collab-etl/documents'
import type { BackupOptions } from '../backup/options.ts'
import { writeBackup } from '../backup/write-backup.ts'
import { openRecordedSource } from './recorded-source.ts'

export interface RenderOptions {
  /** Additional forms of links, and hosts of the service, from the config file. */
  readonly links: readonly LinkPattern[]
  readonly serviceHosts: readonly string[]
  readonly signal: AbortSignal
  readonly onProgress: (step: RenderStep, done: number, total: number) => void
}

type RenderStep = 'reading' | 'rendering'

/** Writes the HTML of a backup into the bag of a temporary directory, by the same code that writes it for a backup. */
export async function renderSite(
  backup: BackupReader,
  format: RecordFormat,
  temporary: TemporaryDirectory,
  { links, serviceHosts, signal, onProgress }: RenderOptions,
): Promise<void> {
  const spool = join(temporary.path, 'spool')
  await using source = await openRecordedSource(backup, format, spool, {
    signal,
    onPart: (done, total) => onProgress('reading', done, total),
  })
  const options: BackupOptions = {
    formats: new Set(['html']),
    content: contentOf(backup.manifest, format),
    csv: { rawCells: false, bom: false, delimiter: ',' },
    linkStyle: 'relative',
    titleHeading: 'never',
    naming: namingOf(backup.manifest),
    pids: null,
    links,
    serviceHosts,
  }
  const bag = await BagWriter.create(temporary.bag)
  try {
    const onRecord = (_counts: unknown, project: number, projects: number) => onProgress('rendering', project, projects)
    await writeBackup(source, bag, options, { signal, onRecord, temporaryPath: temporary.path })
    await bag.finish(() => [])
  } catch (error) {
    await bag.abandon()
    throw error
  }
  await rm(spool, { recursive: true, force: true })
}

/** The kinds of records that are read from a format. Users are in the records of every format. */
export function contentOf(manifest: BackupManifest, format: RecordFormat): ReadonlySet<Content> {
  const held = contentIn(format, manifest)
  // The rest of its content is shown as pages.
  if (format === 'markdown') {
    const areTasksRecords = manifest.task_files === 'one'
    const records = ['posts' as const, ...(areTasksRecords ? ['tasks' as const] : [])]
    return new Set<Content>(['pages', 'users', ...records.filter((kind) => held.has(kind))])
  }
  return new Set<Content>([...held, 'users'])
}

/** The names of files are those of the backup, so that an address means the same page in both. */
function namingOf({ names }: BackupManifest): BackupOptions['naming'] {
  return NAMINGS.find((naming) => naming === names) ?? 'id-suffix'
}
