import { basename } from 'node:path'
import { CONTENT, type Content, contentIn, locateBackup, readManifestFacts } from '@collab-etl/backups'
import { BackupReader, type RecordFormat } from '@collab-etl/backups/read'
import type { DecryptFlags, PrivateDirectory } from '@collab-etl/backups/unpack'
import { UsageError } from '@collab-etl/cli'
import { knownScripts } from '@collab-etl/documents/html/parts'
import { VIEWABLE_FORMATS, type ViewableFormat } from './forms.ts'
import { type RenderOptions, renderSite } from './render-site.ts'
import { type Site, siteOf } from './site.ts'

export interface ViewOptions extends Omit<RenderOptions, 'onProgress'> {
  /** What opens an encrypted archive. */
  readonly keys: DecryptFlags
  /** For what is unpacked and rendered. */
  readonly temporary: PrivateDirectory
  /** `total` is 0 while it is unknown. */
  readonly onProgress: (step: 'unpacking' | 'reading' | 'rendering', done: number, total: number) => void
}

/** A backup that can be served. */
export interface View {
  readonly site: Site
  /** The name of the backup or archive. */
  readonly name: string
  readonly form: ViewableFormat
  /** Address of the service; `null` if unknown. */
  readonly baseUrl: string | null
  /** When the backup was begun; `null` if unknown. */
  readonly begunAt: Date | null
  readonly projects: number
  /** Kinds of content that are not shown, because the backup does not have them in this format. */
  readonly lacks: readonly Content[]
  /** Whether some streams were not read completely when the backup was made. */
  readonly isPartial: boolean
  /** Whether search, filters and sorting work: not in HTML whose scripts this program does not know. */
  readonly hasScripts: boolean
}

/**
 * Makes the site of a backup. HTML is served as it is in the backup; other formats are rendered first, all projects at once, because each
 * page may link to any other and the search covers all.
 * @throws UsageError if it is no backup, or keys were given for what is no archive
 * @throws DamagedBagError if a file that is needed differs from the manifest
 */
export async function openView(named: string, options: ViewOptions): Promise<View> {
  const { temporary, keys, onProgress } = options
  const unpacked = await temporary.unpack(named, keys, (done, total) => onProgress('unpacking', done, total))
  const backup = await BackupReader.open(unpacked ?? (await locateBackup(named)) ?? named)
  const { manifest } = backup
  const hasKnownScripts = await scriptsAreKnown(backup)
  const form = formOf(backup, hasKnownScripts)
  if (form === undefined) {
    throw new UsageError(
      `${named} cannot be shown: it has none of the formats ${VIEWABLE_FORMATS.map(({ format }) => format).join(', ')}`,
    )
  }
  const { format } = form
  const html = format === 'html' ? backup.path : await rendered(backup, format, options)
  const facts = await readManifestFacts(backup.path)
  const shown = contentIn(format, manifest)
  return {
    site: await siteOf(html, backup.path),
    name: basename(unpacked === null ? backup.path : named),
    form,
    baseUrl: facts?.coverage.baseUrl ?? null,
    begunAt: facts?.coverage.begunAt ?? null,
    projects: manifest.projects.length,
    // Other formats name people in their records, CSV in a file of its own.
    lacks: CONTENT.filter((kind) => !shown.has(kind) && (kind !== 'users' || format === 'csv')),
    isPartial: facts !== null && facts.data !== 'whole',
    hasScripts: format !== 'html' || hasKnownScripts,
  }
}

/**
 * The format that holds most kinds of content, the preferred one of several; `undefined` if a backup has none of them. HTML of older versions has
 * fewer; HTML whose scripts are not known comes last of several.
 */
function formOf({ manifest }: BackupReader, hasKnownScripts: boolean): ViewableFormat | undefined {
  const kinds = ({ format }: ViewableFormat) =>
    [...contentIn(format, manifest)].filter((kind) => kind !== 'users').length
  const isLast = ({ format }: ViewableFormat) => Number(format === 'html' && !hasKnownScripts)
  const forms = VIEWABLE_FORMATS.filter(({ format }) => manifest.formats.includes(format)).sort(
    (a, b) => isLast(a) - isLast(b),
  )
  return forms.toSorted((a, b) => kinds(b) - kinds(a))[0]
}

/** The data among the files that all pages share; they are not scripts of the program. */
const SHARED_DATA = /\/(?:as-of|projects)\.js$/

/** Whether the scripts of a backup's HTML are those of this program or of a release before it: no others are served. */
async function scriptsAreKnown(backup: BackupReader): Promise<boolean> {
  const known = await knownScripts()
  for await (const { path, sha256 } of backup.files('html/assets/')) {
    if (path.endsWith('.js') && !SHARED_DATA.test(path) && !known.files.has(sha256)) return false
  }
  return true
}

async function rendered(
  backup: BackupReader,
  format: RecordFormat,
  { temporary, ...options }: ViewOptions,
): Promise<string> {
  const directory = await temporary.open()
  await renderSite(backup, format, directory, options)
  return directory.bag
}
