import { oneLine } from '../../one-line.ts'
import { html, type Markup, withoutControls } from '../markup.ts'

/** A title on one line, or a placeholder. */
export function titleOf(title: string | null): string {
  return oneLine(withoutControls(title ?? '')) || 'Untitled'
}

/** A text of at most so many UTF-16 units, on one line. */
export function shortened(text: string, length: number): string {
  const line = oneLine(text.slice(0, length * 4))
  return (line.length <= length ? line : `${line.slice(0, length - 1).trimEnd()}…`).toWellFormed()
}

/** `2,000` */
export function count(value: number): string {
  return value.toLocaleString('en')
}

/** `1 page`, `2,000 pages`. */
export function counted(number: number, word: string, plural = `${word}s`): string {
  return `${count(number)} ${number === 1 ? word : plural}`
}

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)/

/** A time as the service sent it, to the minute. */
export function time(text: string): Markup {
  const [, date, clock] = ISO.exec(text) ?? []
  return date === undefined
    ? html`<span>${text}</span>`
    : html`<time datetime="${text}">${date} ${clock ?? ''} UTC</time>`
}

/** The time of day alone, for texts that already name the day. */
export function clock(text: string): Markup {
  const hour = ISO.exec(text)?.[2]
  return hour === undefined ? time(text) : html`<time datetime="${text}">${hour} UTC</time>`
}

/** The day alone, for lists. */
export function day(text: string | null): Markup | null {
  const date = ISO.exec(text ?? '')?.[1]
  return text !== null && date !== undefined ? html` <time datetime="${text}">${date}</time>` : null
}

/** The language of a text by its script, so that Chinese characters get their own font; `''` if it is not known. */
export function languageOf(text: string): string {
  const beginning = text.slice(0, 2000)
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(beginning)) return 'ja'
  if (/\p{Script=Hangul}/u.test(beginning)) return 'ko'
  return /\p{Script=Han}/u.test(beginning) ? 'zh' : ''
}
