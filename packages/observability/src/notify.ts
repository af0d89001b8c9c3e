import { type Delivery, type DeliveryOptions, deliver } from './deliver.ts'
import type { Message } from './message.ts'
import { clipped, deletedLines, failedStepNames, hasDamage, type Night, scopeKeys } from './night.ts'
import { fitNight } from './ping.ts'

/**
 * When a receiver is notified. `change`: after each night of another kind than the one before, and after one that found a project deleted;
 * before the first one, all was well.
 */
export type NotifyWhen = 'failure' | 'always' | 'change'

/** The format of a message. */
export type NotifyAs = 'slack' | 'ntfy' | 'json'

/** A receiver of messages. */
export interface Receiver {
  readonly url: string
  readonly when: NotifyWhen
  readonly as: NotifyAs
}

/** The fields of a night that decide who is notified. */
type Ended = Pick<Night, 'outcome' | 'exit_code' | 'steps' | 'verification' | 'snapshot' | 'warnings'>

/** Whether a receiver is notified of a night. @param previous the night before; `null`: there was none */
export function isNotified(when: NotifyWhen, night: Ended, previous: Ended | null): boolean {
  if (when === 'always' || (night.warnings ?? []).length > 0) return true
  if (when === 'failure') return night.outcome !== 'whole'
  return deletedLines(night).length > 0 || kindOf(night) !== (previous === null ? WHOLE : kindOf(previous))
}

const WHOLE = 'whole'

/** Nights of the same kind have the same trouble: exit code, damage, the steps that failed, and the scopes that are incomplete. */
function kindOf(night: Ended): string {
  const { outcome, exit_code: code, steps } = night
  if (outcome === 'whole') return WHOLE
  return [code, hasDamage(night) ? 'damage' : '', ...failedStepNames(steps), ...scopeKeys(night)].join(' ')
}

/** Sends a message. @returns why it was not delivered, without the address; `null`: it was delivered */
export function notify(
  receiver: Receiver,
  message: Message,
  night: Night,
  options?: DeliveryOptions,
): Promise<string | null> {
  return deliver({ url: receiver.url, method: 'POST', ...BODIES[receiver.as](message, night) }, options)
}

type Body = Required<Pick<Delivery, 'headers' | 'body'>>

const JSON_TYPE = { 'content-type': 'application/json' }

/** Maximum length of a text for Slack, in characters: it cuts a longer one. */
const MOST_SLACK = 40_000

/** Maximum length of a message for ntfy, in bytes: it turns a longer one into a file. */
const MOST_NTFY = 4096

const MOST_JSON = 100_000

const BODIES: Readonly<Record<NotifyAs, (message: Message, night: Night) => Body>> = {
  slack: ({ title, lines }) => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ text: fitting([`*${escaped(title)}*`, ...lines.map(escaped)], MOST_SLACK) }),
  }),
  ntfy: ({ title, lines }, night) => ({
    headers: {
      title,
      priority: night.outcome !== 'whole' ? 'high' : deletedLines(night).length > 0 ? 'default' : 'low',
      tags: night.outcome === 'whole' ? 'white_check_mark' : 'warning',
    },
    body: fitting(lines, MOST_NTFY),
  }),
  json: ({ title, lines }, night) => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ title, text: lines.join('\n'), night: JSON.parse(fitNight(night, MOST_JSON)) }),
  }),
}

/** Slack's markup has three characters of its own. */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Lengths of a line, of which the longest is taken with which all lines fit. */
const LINE_LENGTHS = [Infinity, 3000, 2000, 1500, 1000, 700, 500, 300, 200, 100] as const

/** The lines as one text of at most so many bytes. Long lines are shortened, each for itself; then the last ones are left out. */
function fitting(lines: readonly string[], bytes: number): string {
  const isFitting = (text: string) => Buffer.byteLength(text) <= bytes
  const texts = LINE_LENGTHS.map((most) => lines.map((line) => clipped(line, most)).join('\n'))
  const text = texts.find(isFitting)
  if (text !== undefined) return text
  return lines.length > 1 ? fitting(lines.slice(0, -1), bytes) : ''
}
