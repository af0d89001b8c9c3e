import { type Delivery, type DeliveryOptions, deliver } from './deliver.ts'
import type { Message } from './message.ts'
import { failedStepNames, hasDamage, type Night } from './night.ts'
import { fitNight } from './ping.ts'

/** When a receiver is notified. `change`: after each night of another kind than the one before; before the first one, all was well. */
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
type Ended = Pick<Night, 'outcome' | 'exit_code' | 'steps' | 'verification' | 'warnings'>

/** Whether a receiver is notified of a night. @param previous the night before; `null`: there was none */
export function isNotified(when: NotifyWhen, night: Ended, previous: Ended | null): boolean {
  if (when === 'always' || (night.warnings ?? []).length > 0) return true
  if (when === 'failure') return night.outcome !== 'whole'
  return kindOf(night) !== (previous === null ? WHOLE : kindOf(previous))
}

const WHOLE = 'whole'

/** Nights of the same kind have the same trouble, as far as one message tells: exit code, damage, and the steps that failed. */
function kindOf(night: Ended): string {
  const { outcome, exit_code: code, steps } = night
  if (outcome === 'whole') return WHOLE
  return [code, hasDamage(night) ? 'damage' : '', ...failedStepNames(steps)].join(' ')
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

/** Maximum length of a text for Slack, in characters. */
const MOST_SLACK = 3500

/** Maximum length of a message for ntfy, in bytes: it turns a longer one into a file. */
const MOST_NTFY = 4000

const MOST_JSON = 100_000

const BODIES: Readonly<Record<NotifyAs, (message: Message, night: Night) => Body>> = {
  slack: ({ title, lines }) => ({
    headers: JSON_TYPE,
    body: JSON.stringify({ text: `*${escaped(title)}*\n${escaped(cut(lines.join('\n'), MOST_SLACK))}` }),
  }),
  ntfy: ({ title, lines }, { outcome }) => ({
    headers: {
      title,
      priority: outcome === 'whole' ? 'low' : 'high',
      tags: outcome === 'whole' ? 'white_check_mark' : 'warning',
    },
    body: cut(lines.join('\n'), MOST_NTFY / 4), // a character has up to four bytes
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

function cut(text: string, characters: number): string {
  return text.length <= characters ? text : `${text.slice(0, characters - 1).replace(/[\ud800-\udbff]$/, '')}…`
}
