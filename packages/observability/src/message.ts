import { attemptLines } from './attempts.ts'
import {
  acceptedLines,
  DAMAGE,
  damagedLine,
  failedStepNames,
  hasDamage,
  type Night,
  type Step,
  type VerificationFacts,
} from './night.ts'

/** A message that can be read on a phone. */
export interface Message {
  /** One line, ASCII. */
  readonly title: string
  readonly lines: readonly string[]
}

/** What a message says besides the night itself. */
export interface MessageFacts {
  /** The command that shows more. */
  readonly moreCommand: string
  /** A command that examines what failed; `null`: there is none. */
  readonly checkCommand?: string | null
  /** The night before; `null`: there was none. */
  readonly previous?: Pick<Night, 'outcome' | 'consecutive_failures' | 'failing_since'> | null
}

/** The message about a night: what failed, since when, what is still safe, which command shows more. */
export function messageOf(night: Night, { moreCommand, checkCommand = null, previous = null }: MessageFacts): Message {
  const before = previous !== null && previous.outcome !== 'whole' ? previous : null
  return {
    title: `collab-nightly on ${ascii(night.host)}: ${headline(night, before !== null)}`,
    lines: [
      ...night.steps.flatMap(problemOf),
      ...attemptLines(night),
      skipped(night),
      ...scopesOf(night),
      ...acceptedOf(night),
      damagedLine(night),
      ...(night.warnings ?? []),
      since(night),
      recovered(night, before),
      safe(night),
      checkCommand === null ? '' : `Check: ${checkCommand}`,
      `More: ${moreCommand}`,
    ].filter((line) => line !== ''),
  }
}

function headline(night: Night, hasFailedBefore: boolean): string {
  const { outcome, exit_code: code, steps, snapshot, attempts = 1 } = night
  if (outcome === 'whole') {
    const known = snapshot?.accepted?.length ? ', but for accepted failures' : ''
    const again = attempts > 1 ? `, in ${attempts} attempts` : ''
    return `${hasFailedBefore ? 'recovered: ' : ''}everything was read and backed up${known}${again}`
  }
  const failed = failedStepNames(steps)
  // a worse exit code does not hide damage
  const codes = hasDamage(night) ? new Set([code, DAMAGE]) : [code]
  const causes = [...codes].flatMap((of) => CAUSES[of] ?? []).join('; ')
  const ended = `exit ${code}${causes === '' ? '' : `: ${causes}`}`
  return failed.length > 0 ? `${failed.join(' and ')} FAILED (${ended})` : `incomplete (exit ${code})`
}

/** The exit codes that name a cause by themselves. */
const CAUSES: Readonly<Record<number, string>> = {
  2: 'a setting is wrong',
  4: 'the token is not accepted',
  [DAMAGE]: 'damage was found',
  11: 'another run holds the lock',
  130: 'interrupted',
  137: 'interrupted',
  143: 'interrupted',
}

function problemOf({ name, status, reason }: Step): string[] {
  if (status === 'ok' || status === 'skipped') return []
  return [`${name} ${status === 'partial' ? 'is incomplete' : 'failed'}${reason === null ? '' : `: ${reason}`}`]
}

/** The steps that were not run. The lines about failed steps give the reason. */
function skipped({ steps }: Night): string {
  const names = steps.filter(({ status }) => status === 'skipped').map(({ name }) => name)
  return names.length === 0 ? '' : `Skipped: ${names.join(', ')}`
}

/** How many scopes are not whole, by stream. */
function scopesOf({ snapshot, outcome }: Night): string[] {
  if (outcome === 'whole') return []
  const counts = Object.entries(snapshot?.scopes ?? {}).flatMap(([stream, statuses]) =>
    Object.entries(statuses)
      .filter(([status]) => !WHOLE.has(status))
      .map(([status, count]) => `${stream}: ${count} ${status}`),
  )
  return counts.length === 0 ? [] : [`Incomplete: ${counts.join(', ')}`]
}

const WHOLE: ReadonlySet<string> = new Set(['complete', 'skipped', 'carried', 'accepted'])

/** Accepted failures that a message names. */
const MOST_ACCEPTED = 5

function acceptedOf(night: Night): string[] {
  const lines = acceptedLines(night)
  const more = lines.length - MOST_ACCEPTED
  return [...lines.slice(0, MOST_ACCEPTED), ...(more > 0 ? [`and ${more} more accepted failures`] : [])]
}

function since({ consecutive_failures: nights, failing_since: begin, outcome }: Night): string {
  if (outcome === 'whole' || begin === null) return ''
  return nights === 1 ? 'This is the first failure.' : `${nights} failures in a row, since ${minute(begin)}.`
}

function recovered({ outcome }: Night, before: Pick<Night, 'consecutive_failures' | 'failing_since'> | null): string {
  if (outcome !== 'whole' || before === null) return ''
  const { consecutive_failures: count, failing_since: begin } = before
  return `Recovered after ${count} ${count === 1 ? 'failure' : 'failures in a row'}${begin === null ? '' : `, since ${minute(begin)}`}.`
}

/** The data that is safe although the night failed. */
function safe(night: Night): string {
  const { outcome, backup, started_at: start, last_whole_at: lastWhole } = night
  if (outcome === 'whole') return backup === null ? '' : `Backup ${backup.name}`
  const before =
    lastWhole === null
      ? 'No night has read and backed up everything yet.'
      : lastWhole === start
        ? ''
        : `The last night that read and backed up everything began ${minute(lastWhole)}.`
  return `${hasBackup(night) ? ofTonight(night) : ofEarlier(night)} ${before}`.trimEnd()
}

/** Whether a backup was written, even if its summary was lost. */
function hasBackup({ backup, steps }: Night): boolean {
  return (
    backup !== null || steps.some(({ name, status }) => name === 'backup' && (status === 'ok' || status === 'partial'))
  )
}

function ofTonight({ backup, verification }: Night): string {
  if (backup === null) return 'A backup was written tonight, but its summary was lost.'
  const { name } = backup
  if (verification === null || verification.backup !== name)
    return `Tonight's backup ${name} holds everything that was read. It was not verified.`
  if (verification.damaged > 0) return `Tonight's backup ${name} is damaged. ${AFTER_DAMAGE}`
  return `Tonight's backup ${name} holds everything that was read. ${verified(verification)}`
}

/** Of a night that wrote no backup: the latest earlier one was verified. */
function ofEarlier({ verification }: Night): string {
  if (verification === null) return 'No backup was written tonight.'
  const { backup, damaged } = verification
  return damaged > 0
    ? `No backup was written tonight, and the latest one, ${backup}, is damaged. ${AFTER_DAMAGE}`
    : `No backup was written tonight. The latest one is ${backup}. ${verified(verification)}`
}

// hard links: damage to one file is in each backup that shares it
const AFTER_DAMAGE =
  'Earlier backups share its unchanged files and may be damaged too. The next backup writes the damaged files anew.'

function verified({ mode }: VerificationFacts): string {
  if (mode === 'fast') return 'Its files have the right number and sizes.'
  return `${mode === 'sample' ? 'Part of its files' : 'Every byte'} was verified tonight, without damage.`
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
