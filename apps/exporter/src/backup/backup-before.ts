import { join } from 'node:path'
import { checkTags } from '../bag/check-tags.ts'
import { type LinkMode, Sharing } from '../bag/sharing.ts'
import { readLatest } from './publish.ts'

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

/** Opens the one that `latest` points to, if the files that describe it are whole. */
export async function openBackupBefore(directory: string, mode: LinkMode): Promise<BackupBefore> {
  const before = mode === 'none' ? null : await readLatest(directory)
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

const HOW: Record<Exclude<LinkMode, 'none'>, string> = { hard: 'hard links', reflink: 'clones' }
