import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

/** Controls a terminal, reorders what it shows, or ends a line for some who read logs. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text as one harmless line: nothing in it can move the cursor, set colours or pose as other text. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, ' ').trim()
}

/** A text of many lines as it is for a file or another program; on a terminal without what would control it. */
export function terminalText(stdout: { readonly isTerminal: boolean }, text: string): string {
  return stdout.isTerminal ? text.replace(/[^\P{Cc}\t\r\n]|\r(?!\n)|\p{Bidi_Control}/gu, '\u{fffd}') : text
}

/** Columns that the text takes on a terminal. */
export function textWidth(text: string): number {
  return stringWidth(text)
}

/** The text cut to at most so many columns, with `…` where something was cut. */
export function fitText(text: string, columns: number): string {
  if (textWidth(text) <= columns) return text
  let fitted = ''
  let width = 0
  for (const { segment } of graphemes.segment(text)) {
    width += textWidth(segment)
    if (width > columns - 1) break
    fitted += segment
  }
  return columns > 0 ? `${fitted}…` : ''
}
