import { type Delivery, type DeliveryOptions, deliver } from './deliver.ts'
import type { Message } from './message.ts'
import type { Night } from './night.ts'
import { fitNight } from './ping.ts'

/** When a receiver is notified. `change`: after the first night that is not whole, and after the first whole one that follows. */
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
type Ended = Pick<Night, 'outcome' | 'consecutive_failures'>

/** Whether a receiver is notified of a night. @param previous the night before; `null`: there was none */
export function isNotified(when: NotifyWhen, night: Ended, previous: Ended | null): boolean {
  if (when === 'always') return true
  if (when === 'failure') return night.outcome !== 'whole'
  const wasWhole = previous === null || previous.outcome === 'whole'
  return (night.outcome === 'whole') !== wasWhole
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
