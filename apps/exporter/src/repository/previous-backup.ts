import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { checkTags, type LinkMode, Sharing } from '@collab-etl/bagit'
import { BACKUP_NAME } from './backup-name.ts'
import { readLatest } from './publish.ts'
import { mayBeOfOneService, serviceOf } from './service-of.ts'

/** The backup with which the next one may share files. */
export interface BackupBefore extends AsyncDisposable {
  /** `null` where nothing is to be shared, or nothing can. */
  readonly sharing: Sharing | null
  /** Its name; `null` with `sharing`. */
  readonly before: string | null
  /** Why files that could be shared are written anew, for a person; `null` where nothing stands against it. */
  readonly refusal: string | null
}

const NOTHING: Omit<BackupBefore, typeof Symbol.asyncDispose> = { sharing: null, before: null, refusal: null }

/** Opens the previous backup of a service, if the files that describe it are whole. */
export async function openBackupBefore(directory: string, mode: LinkMode, baseUrl: string): Promise<BackupBefore> {
  const before = mode === 'none' ? null : await previousBackup(directory, baseUrl)
  if (mode === 'none' || before === null) return { ...NOTHING, [Symbol.asyncDispose]: async () => {} }
  const path = join(directory, before)
  const [damage] = await checkTags(path)
  if (damage) {
    const refusal = `${before} is damaged: ${damage.path} is ${damage.kind}`
    return { ...NOTHING, refusal, [Symbol.asyncDispose]: async () => {} }
  }
  const sharing = new Sharing(path, mode)
  return {
    ...{ sharing, before },
    get refusal() {
      return sharing.refusal === null ? null : `${HOW[mode]} cannot be made here (${sharing.refusal})`
    },
    [Symbol.asyncDispose]: () => sharing.close(),
  }
}

/** The backup that `latest` points to; where that is of another service, the newest of this one. */
async function previousBackup(directory: string, baseUrl: string): Promise<string | null> {
  const latest = await readLatest(directory)
  if (latest === null || mayBeOfOneService(await serviceOf(join(directory, latest)), baseUrl)) return latest
  const names = (await readdir(directory)).filter((name) => BACKUP_NAME.test(name))
  for (const name of names.sort().reverse()) if ((await serviceOf(join(directory, name))) === baseUrl) return name
  return null
}

const HOW: Record<Exclude<LinkMode, 'none'>, string> = { hard: 'hard links', reflink: 'clones' }
