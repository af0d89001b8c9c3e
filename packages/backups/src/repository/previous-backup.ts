import { join } from 'node:path'
import { type Damage, DamagedBagError, type LinkMode, PreviousBag, tagFiles, verifyBag } from '@collab-etl/bagit'
import { whoMayRead } from '@collab-etl/cli'
import { backupNames, readLatest } from '../locate.ts'
import { isOurBackup } from '../manifest-facts.ts'
import { mayBeOfOneService, serviceOf } from '../service-of.ts'
import type { BackupPlace } from './records.ts'
import { readMark } from './verified-mark.ts'

/** The backup that files are linked from. */
export interface PreviousBackup extends AsyncDisposable {
  /** `null` if no files are to be linked, or there is no backup to link them from. */
  readonly bag: PreviousBag | null
  /** Its folder; `null` with `bag`. */
  readonly path: string | null
  /** Names of its tag files. */
  readonly tags: ReadonlySet<string>
  /** Its name; `null` with `bag`. */
  readonly previous: string | null
  /** The previous backup whether or not files are linked from it, with what is wrong with its tag files, for a person; `null` if there is none. */
  readonly earlier: EarlierBackup | null
  /** Whether a verification found damage in it: then none of its files may be linked without reading it. */
  readonly isDamaged: boolean
  /** Why unchanged files are written again although they could be linked, for a person; `null` if they are linked. */
  readonly refusal: string | null
}

/** A backup that was made earlier, of the same service. */
export interface EarlierBackup {
  readonly name: string
  readonly path: string
  /** What is wrong with its tag files, for a person; `null` if they are intact. */
  readonly damage: string | null
}

const NONE: Omit<PreviousBackup, typeof Symbol.asyncDispose> = {
  bag: null,
  path: null,
  tags: new Set(),
  previous: null,
  earlier: null,
  isDamaged: false,
  refusal: null,
}

/** Opens the previous backup of a service, if its tag files are intact. */
export async function openPreviousBackup(directory: string, mode: LinkMode, baseUrl: string): Promise<PreviousBackup> {
  const nothing = { ...NONE, [Symbol.asyncDispose]: async () => {} }
  const previous = await previousName(directory, baseUrl)
  if (previous === null) return nothing
  const path = join(directory, previous)
  const files = await tagFiles(path).catch((error: unknown) => {
    if (error instanceof DamagedBagError) return error.damage
    throw error
  })
  const damage = 'kind' in files ? whyUnusable(files) : null
  const earlier: EarlierBackup = { name: previous, path, damage }
  if (mode === 'none') return { ...nothing, earlier }
  if ('kind' in files) {
    const remedy = files.kind === 'denied' ? `: ${whoMayRead(join(path, files.path))}` : ''
    return { ...nothing, earlier, refusal: `${previous}: ${damage}${remedy}` }
  }
  const bag = new PreviousBag(path, mode)
  const tags = new Set(files.map((file) => file.path))
  return {
    ...{
      bag,
      path,
      tags,
      previous,
      earlier,
      isDamaged: (await readMark({ directory, name: previous })).damage !== null,
    },
    get refusal() {
      return bag.refusal === null ? null : `${HOW[mode]} cannot be made here (${bag.refusal})`
    },
    [Symbol.asyncDispose]: () => bag.close(),
  }
}

/** Why a backup is not used, for a person. */
export function whyUnusable({ path, kind }: Damage): string {
  return kind === 'denied' ? `${path} cannot be read by this user` : `it is damaged: ${path} is ${kind}`
}

/**
 * The backup that `latest` points to; if that is of another service, or there is none, the newest backup of this one. A directory that was
 * copied or unpacked may lack files.
 */
async function previousName(directory: string, baseUrl: string): Promise<string | null> {
  const latest = await readLatest(directory)
  if (latest !== null && mayBeOfOneService(await serviceOf(join(directory, latest)), baseUrl)) return latest
  for (const name of (await backupNames(directory)).reverse()) {
    if ((await serviceOf(join(directory, name))) === baseUrl && (await isSound({ directory, name }))) return name
  }
  return null
}

/** Whether a directory is a backup of this tool without known damage, with all files in their sizes. */
async function isSound(place: BackupPlace): Promise<boolean> {
  const path = join(place.directory, place.name)
  if (!(await isOurBackup(path)) || (await readMark(place)).damage !== null) return false
  return (await verifyBag(path, { fast: true })).damage.length === 0
}

const HOW: Record<Exclude<LinkMode, 'none'>, string> = { hard: 'hard links', reflink: 'clones' }
