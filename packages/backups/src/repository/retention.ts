import { type Coverage, covers } from '../coverage.ts'
import type { ListedBackup } from './list-backups.ts'
import { keptBy, type Policy } from './policy.ts'

/** Whether to keep a backup, and why. */
export interface Decision {
  readonly backup: Pick<ListedBackup, 'name' | 'begun' | 'state' | 'isLatest'> & {
    /** If missing, the backup counts as covering less than any other. */
    readonly manifest?: { readonly coverage: Coverage } | null
  }
  readonly action: 'keep' | 'remove'
  /** At least one. */
  readonly reasons: readonly string[]
}

/**
 * Applies a policy to the backups, in the order of the list. A backup competes only with backups that cover what it covers: one with
 * fewer projects or formats, an earlier state or missing streams never displaces one with more. Damaged backups displace none either:
 * the policy is applied to the undamaged ones, and keeps a damaged one only if it would keep it among all.
 *
 * Always kept are the backup that `latest` points to, each verified one that no later verified one covers, and the newest one without
 * known damage. A backup dated after `now` was made with a wrong clock: it is kept and does not count, or it would be the newest for
 * years. The same holds for anything that is not a backup of this tool.
 */
export function decide<B extends Decision['backup']>(
  policy: Policy,
  backups: readonly B[],
  now: Date,
): (Decision & { readonly backup: B })[] {
  const isAhead = ({ begun }: B) => begun > now
  const isBackup = ({ state }: B) => state !== 'archive' && state !== 'foreign'
  const folders = backups.filter((backup) => isBackup(backup) && !isAhead(backup))
  const sound = folders.filter(({ state }) => state === 'verified' || state === 'unverified')
  const verified = sound.filter(({ state }) => state === 'verified')
  const newestSound = newest(sound)
  const kept = keptAmong(policy)
  return backups.map((backup) => {
    const among = sound.includes(backup) ? sound : folders
    const reasons: string[] = []
    if (backup.state === 'archive') reasons.push('only an archive exists')
    else if (backup.state === 'foreign') reasons.push('not a backup of collab-export')
    else if (isAhead(backup)) reasons.push('dated in the future')
    if (backup.isLatest) reasons.push('latest points to it')
    if (verified.includes(backup) && backup === newest(thatCover(backup, verified))) {
      reasons.push(backup === newest(verified) ? 'last verified' : 'last verified with its coverage')
    }
    if (backup === newestSound) reasons.push(sound.length === 1 ? 'only undamaged one' : 'newest undamaged one')
    if (among.includes(backup)) reasons.push(...kept(backup, thatCover(backup, among)))
    if (reasons.length > 0) return { backup, action: 'keep', reasons }
    return { backup, action: 'remove', reasons: ['no rule keeps it'] }
  })
}

/** The backups that cover what a backup covers, including itself. */
function thatCover<B extends Decision['backup']>(backup: B, among: readonly B[]): readonly B[] {
  const own = backup.manifest?.coverage
  if (own === undefined) return among
  return among.filter((other) => {
    const theirs = other.manifest?.coverage
    return other === backup || (theirs !== undefined && covers(theirs, own))
  })
}

/** The rules that keep a backup among others, cached for each set. */
function keptAmong(policy: Policy): (backup: Decision['backup'], among: readonly Decision['backup'][]) => string[] {
  const known = new Map<string, Map<string, string[]>>()
  return ({ name }, among) => {
    const key = among.map((other) => other.name).join()
    const kept = known.get(key) ?? keptBy(policy, among)
    known.set(key, kept)
    return kept.get(name) ?? []
  }
}

function newest<B extends Decision['backup']>(backups: readonly B[]): B | undefined {
  return backups.toSorted((a, b) => b.begun.getTime() - a.begun.getTime())[0]
}
