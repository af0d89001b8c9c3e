import type { ListedBackup } from '@collab-etl/backups/repository'
import { acceptedLines, type BackupFacts, deletedLines, type Night } from '@collab-etl/observability'

/** Number of nights over which growth is counted. */
const GROWTH_NIGHTS = 30

/** States of a backup that exists and has no known damage. */
const SOUND: ReadonlySet<ListedBackup['state']> = new Set(['verified', 'unverified'])

/** A night dated further in the future, in milliseconds, was recorded before the clock was set back. */
const FUTURE_MS = 5 * 60_000

/** The state of the nightly job. Times are ISO 8601. */
export interface Standing {
  readonly last_run: Pick<Night, 'started_at' | 'finished_at' | 'outcome' | 'exit_code' | 'steps'> | null
  /** Begin of the last night whose snapshot and backup are whole. */
  readonly last_whole_at: string | null
  /** The last backup that was verified without damage. */
  readonly last_verified: { readonly backup: string; readonly at: string; readonly mode: string } | null
  /** Projects that the last night found to be no longer in the service, in words. */
  readonly deleted_projects: readonly string[]
  /** Accepted failures of the last night, and those that no longer occur, in words. */
  readonly accepted: readonly string[]
  /** What the last night found that needs a look. */
  readonly warnings: readonly string[]
  /** Nights in a row in which a step did not succeed. */
  readonly consecutive_failures: number
  readonly failing_since: string | null
  readonly backups: {
    readonly count: number
    /** Names of those, and of archives, that are damaged or cannot be read. */
    readonly damaged: readonly string[]
    /** Size of the files of the latest backup. */
    readonly latest_bytes: number | null
    /** What the last `growth_nights` nights added to the disk. */
    readonly added_bytes: number
    readonly growth_nights: number
  }
  /** Why the data is too old; `null`: it is not, or no limit was given. */
  readonly stale: string | null
}

interface StandingOptions {
  readonly now: Date
  /** Limit for the age of the last whole run, from its end; `null`: no limit. */
  readonly maxAgeMs: number | null
  /** The copies that are damaged according to their last verification. */
  readonly damaged?: readonly string[]
}

/**
 * The state of the job, from the record of runs and the directory of backups alone.
 */
export function standingOf(
  nights: readonly Night[],
  backups: readonly ListedBackup[],
  { now, maxAgeMs, damaged = [] }: StandingOptions,
): Standing {
  const last = nights.at(-1)
  const lastWhole = lastWholeRun(nights, now) ?? nights.findLast(isWholeRun)
  const recent = nights.slice(-GROWTH_NIGHTS).flatMap(({ backup }) => (backup === null ? [] : [backup]))
  return {
    last_run: last
      ? {
          started_at: last.started_at,
          finished_at: last.finished_at,
          outcome: last.outcome,
          exit_code: last.exit_code,
          steps: last.steps,
        }
      : null,
    last_whole_at: lastWhole?.started_at ?? null,
    last_verified: lastVerified(nights, backups, now),
    deleted_projects: last === undefined ? [] : deletedLines(last),
    accepted: last === undefined ? [] : acceptedLines(last),
    warnings: last?.warnings ?? [],
    consecutive_failures: last?.consecutive_failures ?? 0,
    failing_since: last?.failing_since ?? null,
    backups: {
      count: backups.filter(({ state }) => state !== 'foreign').length,
      damaged: [...new Set([...backups.filter(isLost).map(({ name }) => name), ...damaged])],
      latest_bytes: backups.find(({ isLatest }) => isLatest)?.oxum?.bytes ?? null,
      added_bytes: recent.reduce((sum: number, { new_bytes: bytes }: BackupFacts) => sum + bytes, 0),
      growth_nights: Math.min(nights.length, GROWTH_NIGHTS),
    },
    stale: maxAgeMs === null ? null : (whyStale(lastWhole, now, maxAgeMs) ?? whyLost(backups)),
  }
}

/** The last whole run by its time; nights that were recorded before the clock was set back are left out. */
export function lastWholeRun(nights: readonly Night[], now: Date): Night | undefined {
  const whole = nights.filter((night) => isWholeRun(night) && !isFuture(night.finished_at, now))
  return whole.sort((a, b) => Date.parse(a.finished_at) - Date.parse(b.finished_at)).at(-1)
}

function isFuture(iso: string, now: Date): boolean {
  return Date.parse(iso) > now.getTime() + FUTURE_MS
}

/** Whether everything was read and backed up; later steps do not count. */
export function isWholeRun({ steps }: Pick<Night, 'steps'>): boolean {
  return ['snapshot', 'backup'].every((name) => steps.some((step) => step.name === name && step.status === 'ok'))
}

function whyStale(lastWhole: Night | undefined, now: Date, maxAgeMs: number): string | null {
  if (lastWhole === undefined) return 'no run has read and backed up everything yet'
  const { started_at: began, finished_at: ended } = lastWhole
  if (isFuture(ended, now)) return `the last whole run is dated in the future (${ended}): was the clock set back?`
  // from its end: a run that takes hours would be too old before the next one ends
  const age = now.getTime() - Date.parse(ended)
  return age > maxAgeMs
    ? `the last whole run began ${began} and ended ${ended}, longer ago than --max-age allows`
    : null
}

const isLost = ({ state }: ListedBackup) => state === 'damaged' || state === 'unreadable'

/** A whole run is worth nothing once its backup is gone or damaged. */
function whyLost(backups: readonly ListedBackup[]): string | null {
  const latest = backups.find(({ isLatest }) => isLatest)
  if (latest === undefined) return 'there is no latest backup'
  const problem = latest.problem === null ? '' : `: ${latest.problem}`
  return isLost(latest) ? `the latest backup ${latest.name} is ${latest.state}${problem}` : null
}

/**
 * The last backup found undamaged by a full verification, or by the nightly verification of a part of it. Times in the future are from
 * before the clock was set back: they count only if there is no other.
 */
function lastVerified(
  nights: readonly Night[],
  backups: readonly ListedBackup[],
  now: Date,
): Standing['last_verified'] {
  const full = backups.flatMap(({ name, verifiedAt, state }) =>
    verifiedAt === null || !SOUND.has(state) ? [] : [{ backup: name, at: verifiedAt, mode: 'full' }],
  )
  const nightly = nights.flatMap(({ verification, steps }) => {
    const at = steps.find(({ name }) => name === 'verify')?.started_at
    if (verification === null || at === undefined || verification.damaged > 0 || verification.mode === 'fast') return []
    const isSound = backups.some(({ name, state }) => name === verification.backup && SOUND.has(state))
    if (!isSound) return []
    return [{ backup: verification.backup, at, mode: verification.mode }]
  })
  const all = [...full, ...nightly].sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
  return all.findLast(({ at }) => !isFuture(at, now)) ?? all.at(-1) ?? null
}
