import type { Night, Step } from './night.ts'

/** A message that can be read on a phone. */
export interface Message {
  /** One line, ASCII. */
  readonly title: string
  readonly lines: readonly string[]
}

/** Where a message sends its reader. */
export interface MessagePlaces {
  /** The command that shows more. */
  readonly moreCommand: string
}

/** The message about a night: what failed, since when, what is still safe, which command shows more. */
export function messageOf(night: Night, { moreCommand }: MessagePlaces): Message {
  return {
    title: `collab-nightly on ${ascii(night.host)}: ${headline(night)}`,
    lines: [
      ...night.steps.flatMap(problemOf),
      skipped(night),
      ...scopesOf(night),
      since(night),
      safe(night),
      `More: ${moreCommand}`,
    ].filter((line) => line !== ''),
  }
}

function headline({ outcome, exit_code: code, steps }: Night): string {
  if (outcome === 'whole') return 'everything was read and backed up'
  const failed = steps.filter(({ status }) => status === 'failed').map(({ name }) => name)
  return failed.length > 0 ? `${failed.join(' and ')} FAILED (exit ${code})` : `incomplete (exit ${code})`
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

const WHOLE: ReadonlySet<string> = new Set(['complete', 'skipped', 'carried'])

function since({ consecutive_failures: nights, failing_since: begin, outcome }: Night): string {
  if (outcome === 'whole' || begin === null) return ''
  return nights === 1 ? 'This is the first failure.' : `${nights} failures in a row, since ${minute(begin)}.`
}

/** The data that is safe although the night failed. */
function safe({ outcome, backup, last_whole_at: lastWhole, verification }: Night): string {
  if (outcome === 'whole') return backup === null ? '' : `Backup ${backup.name}`
  const verified = verification?.damaged === 0 ? ', verified tonight' : ''
  const tonight =
    backup === null
      ? 'No backup was written tonight.'
      : `Tonight's backup ${backup.name} holds everything that was read${verified}.`
  const before =
    lastWhole === null
      ? 'No night has read and backed up everything yet.'
      : `The last night that read and backed up everything began ${minute(lastWhole)}.`
  return `${tonight} ${before}`
}

function minute(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

function ascii(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?')
}
