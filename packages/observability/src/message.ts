import { attemptLines } from './attempts.ts'
import {
  DAMAGE,
  damagedLine,
  deletedLines,
  failedStepNames,
  hasDamage,
  type Night,
  type Step,
  unneededLines,
  type VerificationFacts,
  WHOLE_STATUSES,
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
    // the long lines come last: a receiver that has a limit cuts these
    lines: [
      ...(night.warnings ?? []),
      since(night),
      recovered(night, before),
      safe(night),
      damagedLine(night),
      ...someOf(deletedLines(night), 'projects that are no longer in the service'),
      ...scopesOf(night),
      accepted(night),
      ...someOf(unneededLines(night), 'accepted failures that no longer occur'),
      checkCommand === null ? '' : `Check: ${checkCommand}`,
      `More: ${moreCommand}`,
      skipped(night),
      ...problemsOf(night),
      ...attemptLines(night),
    ].filter((line) => line !== ''),
  }
}

function headline(night: Night, hasFailedBefore: boolean): string {
  const { outcome, exit_code: code, steps, snapshot, attempts = 1 } = night
  if (outcome === 'whole') {
    const known = snapshot?.accepted?.length ? ', except for accepted failures' : ''
    const again = attempts > 1 ? `, in ${attempts} attempts` : ''
    const deleted = deletedLines(night).length
    const gone =
      deleted === 0 ? '' : `; ${deleted} ${deleted === 1 ? 'project is' : 'projects are'} no longer in the service`
    return `${hasFailedBefore ? 'recovered: ' : ''}everything was read and backed up${known}${again}${gone}`
  }
  const failed = failedStepNames(steps)
  // a worse exit code does not hide damage
  const codes = hasDamage(night) ? new Set([code, DAMAGE]) : [code]
  const isClock = code === USAGE && steps.some(({ reason }) => reason?.includes('--accept-clock'))
  const causes = isClock ? 'the clock is wrong' : [...codes].flatMap((of) => CAUSES[of] ?? []).join('; ')
  const ended = `exit ${code}${causes === '' ? '' : `: ${causes}`}`
  return failed.length > 0 ? `${failed.join(' and ')} FAILED (${ended})` : `incomplete (exit ${code})`
}

const USAGE = 2

/** The exit codes that name a cause by themselves. */
const CAUSES: Readonly<Record<number, string>> = {
  [USAGE]: 'a setting is wrong',
  4: 'the token is not accepted',
  [DAMAGE]: 'damage was found',
  11: 'another run holds the lock',
  130: 'interrupted',
  137: 'interrupted',
  143: 'interrupted',
}

/** A line for each problem; steps with the same one, such as snapshot and backup, share it. */
function problemsOf({ steps }: Night): string[] {
  const bad = steps.filter(({ status }) => status === 'partial' || status === 'failed')
  const groups = Map.groupBy(bad, ({ name, status, reason }) => JSON.stringify([status, reason ?? name]))
  return [...groups.values()].map((of) => {
    const [{ status, reason }] = of as [Step] // a group has a step
    const ended = status === 'failed' ? 'failed' : of.length === 1 ? 'is incomplete' : 'are incomplete'
    return `${of.map(({ name }) => name).join(' and ')} ${ended}${reason === null ? '' : `: ${reason}`}`
  })
}

/** The steps that were not run. The lines about failed steps give the reason. */
function skipped({ steps }: Night): string {
  const names = steps.filter(({ status }) => status === 'skipped').map(({ name }) => name)
  return names.length === 0 ? '' : `Skipped: ${names.join(', ')}`
}

/** How many scopes are not whole, by stream; first those of which the deletion guard refused rows. */
function scopesOf({ snapshot, outcome }: Night): string[] {
  if (outcome === 'whole') return []
  const counts = Object.entries(snapshot?.scopes ?? {})
    .flatMap(([stream, statuses]) => Object.entries(statuses).map(([status, count]) => ({ stream, status, count })))
    .filter(({ status }) => !WHOLE_STATUSES.has(status))
    .sort((a, b) => Number(b.status === 'refused') - Number(a.status === 'refused'))
    .map(({ stream, status, count }) => `${stream}: ${count} ${status}`)
  return counts.length === 0 ? [] : [`Incomplete: ${counts.join(', ')}`]
}

/** Lines of one kind in a message. */
const MOST_LINES = 5

function someOf(lines: readonly string[], what: string): string[] {
  const more = lines.length - MOST_LINES
  return [...lines.slice(0, MOST_LINES), ...(more > 0 ? [`and ${more} more ${what}`] : [])]
}

/** How many accepted failures occurred, and the day on which the first acceptance ends. */
function accepted({ snapshot }: Night): string {
  const { accepted: of = [] } = snapshot ?? {}
  const [first] = of.map(({ until }) => until.slice(0, 10)).sort()
  return first === undefined
    ? ''
    : `Accepted failures: ${of.length}, until ${first}${of.length === 1 ? '' : ' or later'}`
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
      ? 'No run has read and backed up everything yet.'
      : lastWhole === start
        ? ''
        : `The last run that read and backed up everything began ${minute(lastWhole)}.`
  return `${hasBackup(night) ? ofItsOwn(night) : ofEarlier(night)} ${before}`.trimEnd()
}

/** Whether a backup was written, even if its summary was lost. */
function hasBackup({ backup, steps }: Night): boolean {
  return (
    backup !== null || steps.some(({ name, status }) => name === 'backup' && (status === 'ok' || status === 'partial'))
  )
}

function ofItsOwn({ backup, verification }: Night): string {
  if (backup === null) return 'A backup was written, but its summary was lost.'
  const { name } = backup
  if (verification === null || verification.backup !== name)
    return `The backup ${name} holds everything that was read. It was not verified.`
  if (verification.damaged > 0) return `The backup ${name} is damaged. ${AFTER_DAMAGE}`
  return `The backup ${name} holds everything that was read. ${verified(verification)}`
}

/** Of a night that wrote no backup: the latest earlier one was verified. */
function ofEarlier({ started_at: start, verification }: Night): string {
  // a night that was killed is reported by the next one
  const none = `The run of ${minute(start)} wrote no backup`
  if (verification === null) return `${none}.`
  const { backup, damaged } = verification
  return damaged > 0
    ? `${none}, and the latest one, ${backup}, is damaged. ${AFTER_DAMAGE}`
    : `${none}. The latest one is ${backup}. ${verified(verification)}`
}

// hard links: damage to one file is in each backup that shares it
const AFTER_DAMAGE =
  'Earlier backups share its unchanged files and may be damaged too. The next backup writes the damaged files anew.'

function verified({ mode }: VerificationFacts): string {
  if (mode === 'fast') return 'Its files have the right number and sizes.'
  return `${mode === 'sample' ? 'Part of its files' : 'Every byte'} was verified, without damage.`
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
