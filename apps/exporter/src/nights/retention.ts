import type { ListedBackup } from './list-backups.ts'
import { keptBy, type Policy } from './policy.ts'

/** What is to become of a backup, and why. */
export interface Decision {
  readonly backup: Pick<ListedBackup, 'name' | 'begun' | 'state' | 'isLatest'>
  readonly action: 'keep' | 'remove'
  /** At least one. */
  readonly reasons: readonly string[]
}

/**
 * Decides what a policy keeps, in the order of the list. A damaged backup takes nobody's place: the policy goes over the sound
 * ones alone, and a damaged one is kept where the policy over all of them keeps it. Whatever the policy says, what `latest`
 * points to stays, and so do the last verified one and the newest that is not known to be damaged. One that was begun after `now`
 * was begun by a clock that was wrong: it stays, and takes nobody's place, or it would count as the newest for years.
 */
export function decide<B extends Decision['backup']>(
  policy: Policy,
  backups: readonly B[],
  now: Date,
): (Decision & { readonly backup: B })[] {
  const isAhead = ({ begun }: B) => begun > now
  const folders = backups.filter((backup) => backup.state !== 'archive' && !isAhead(backup))
  const sound = folders.filter(({ state }) => state === 'verified' || state === 'unverified')
  const keptSound = keptBy(policy, sound)
  const keptOfAll = keptBy(policy, folders)
  const newestSound = newest(sound)
  const lastVerified = newest(sound.filter(({ state }) => state === 'verified'))
  return backups.map((backup) => {
    const reasons: string[] = []
    if (backup.state === 'archive') reasons.push('but an archive is left')
    else if (isAhead(backup)) reasons.push('begun later than now')
    if (backup.isLatest) reasons.push('latest points to it')
    if (backup === lastVerified) reasons.push('last verified')
    if (backup === newestSound) reasons.push(sound.length === 1 ? 'only whole one' : 'newest whole one')
    reasons.push(...((sound.includes(backup) ? keptSound : keptOfAll).get(backup.name) ?? []))
    if (reasons.length > 0) return { backup, action: 'keep', reasons }
    return { backup, action: 'remove', reasons: ['no rule keeps it'] }
  })
}

function newest<B extends Decision['backup']>(backups: readonly B[]): B | undefined {
  return backups.toSorted((a, b) => b.begun.getTime() - a.begun.getTime())[0]
}
