import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { bagInfoValue, checkTags, type Damage, type Oxum, parseOxum, readBagInfo } from '@collab-etl/bagit'
import { BACKUP_NAME, readLatest, timeOfBackup } from '../locate.ts'
import { isOurBackup, type ManifestFacts, readManifestFacts } from '../manifest-facts.ts'
import { BAG_LABELS } from '../service-of.ts'
import { readMark, type VerifiedMark } from './verified-mark.ts'

/**
 * State of a backup, determined without reading its payload:
 * - `verified`: the last full verification found no damage
 * - `unverified`: its tag files are undamaged, and it was never fully verified
 * - `damaged`: a verification found damage, or its tag files are damaged
 * - `unreadable`: its tag files are missing or cannot be read
 * - `archive`: only an archive of it exists, not its directory
 * - `foreign`: it has the name of a backup, but this tool did not write it: a symbolic link, a file, or a directory without
 *   bagit.txt or without a backup manifest of collab-export
 */
type BackupState = 'verified' | 'unverified' | 'damaged' | 'unreadable' | 'archive' | 'foreign'

export interface ListedBackup {
  readonly name: string
  readonly begun: Date
  readonly state: BackupState
  /** Time of the last full verification if it found no damage, ISO 8601. */
  readonly verifiedAt: string | null
  /** Why it is damaged, unreadable or foreign. */
  readonly problem: string | null
  /** Size of the payload; `null` if unknown. */
  readonly oxum: Oxum | null
  /** New data that the backup added to the repository. */
  readonly fresh: Oxum | null
  /** The previous backup, from which the other files are hard-linked. */
  readonly sharesWith: string | null
  readonly manifest: ManifestFacts | null
  readonly isLatest: boolean
  readonly archives: readonly ArchiveFile[]
}

interface ArchiveFile {
  readonly name: string
  readonly bytes: number
}

/** `20240131T235959Z.tar.zst.age`: an archive of a backup, beside it. */
export const ARCHIVE_NAME = /^(\d{8}T\d{6}Z)\.(?:tar\.gz|tar\.zst|zip)(?:\.age)?$/

interface ListOptions {
  readonly signal?: AbortSignal
  readonly onProgress?: (done: number, total: number) => void
}

/** The backups of a directory, the oldest first. */
export async function listBackups(directory: string, options: ListOptions = {}): Promise<ListedBackup[]> {
  const folders = new Set<string>()
  const others = new Set<string>()
  const archives = new Map<string, ArchiveFile[]>()
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (BACKUP_NAME.test(entry.name)) (entry.isDirectory() ? folders : others).add(entry.name)
    const [, of] = entry.isFile() ? (ARCHIVE_NAME.exec(entry.name) ?? []) : []
    if (of !== undefined) {
      const { size } = await stat(join(directory, entry.name))
      archives.set(of, [...(archives.get(of) ?? []), { name: entry.name, bytes: size }])
    }
  }
  const latest = await readLatest(directory)
  const names = [...new Set([...folders, ...others, ...archives.keys()])]
    .filter((name) => timeOfBackup(name) !== null)
    .sort()
  const listed: ListedBackup[] = []
  for (const name of names) {
    await setImmediate()
    options.signal?.throwIfAborted()
    const about = folders.has(name)
      ? await lookAt(directory, name)
      : others.has(name)
        ? foreign('it is not a directory')
        : ARCHIVE_ONLY
    const begun = timeOfBackup(name) ?? new Date(Number.NaN) // names without a time are filtered out above
    const own = (archives.get(name) ?? []).sort((a, b) => (a.name < b.name ? -1 : 1))
    listed.push({ name, begun, ...about, isLatest: name === latest, archives: own })
    options.onProgress?.(listed.length, names.length)
  }
  return listed
}

type About = Omit<ListedBackup, 'name' | 'begun' | 'isLatest' | 'archives'>

const NOTHING_KNOWN: Omit<About, 'state'> = {
  verifiedAt: null,
  problem: null,
  oxum: null,
  fresh: null,
  sharesWith: null,
  manifest: null,
}

const ARCHIVE_ONLY: About = { ...NOTHING_KNOWN, state: 'archive' }

function foreign(problem: string): About {
  return { ...NOTHING_KNOWN, state: 'foreign', problem }
}

async function lookAt(directory: string, name: string): Promise<About> {
  const bag = join(directory, name)
  if (!(await isOurBackup(bag))) return foreign('it lacks bagit.txt or a data/backup.json of collab-export')
  const [damage] = await checkTags(bag)
  const info = await readBagInfo(bag).catch(() => '')
  const oxum = parseOxum(bagInfoValue(info, 'Payload-Oxum') ?? '')
  const manifest = await readManifestFacts(bag)
  const mark = await readMark({ directory, name })
  return {
    ...stateOf(mark, damage ?? (manifest ? undefined : NO_MANIFEST)),
    oxum,
    manifest,
    // In backups made before hard links were used, all data is new.
    fresh: parseOxum(bagInfoValue(info, BAG_LABELS.newData) ?? '') ?? oxum,
    sharesWith: bagInfoValue(info, BAG_LABELS.previous) ?? null,
  }
}

const NO_MANIFEST: Damage = { kind: 'unreadable', path: 'data/backup.json', detail: null }

function stateOf(
  { full, damage }: VerifiedMark,
  found: Damage | undefined,
): Pick<About, 'state' | 'verifiedAt' | 'problem'> {
  const verifiedAt = full?.damaged === 0 ? full.at : null
  if (found) {
    const isUnread = ['missing', 'unreadable', 'denied'].includes(found.kind)
    const problem = `${found.path} is ${found.kind}`
    return { state: isUnread ? 'unreadable' : 'damaged', verifiedAt, problem }
  }
  if (damage) return { state: 'damaged', verifiedAt, problem: `verify found ${damage.damaged} damaged on ${damage.at}` }
  return { state: verifiedAt === null ? 'unverified' : 'verified', verifiedAt, problem: null }
}
