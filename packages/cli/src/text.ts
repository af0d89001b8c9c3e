import { stripVTControlCharacters } from 'node:util'
import stringWidth from 'string-width'

/** Characters that control a terminal, reorder its text, or end a line in some log readers. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]+/gu

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** The text as one harmless line, without control characters, line ends and direction marks. */
export function plainText(text: string): string {
  return stripVTControlCharacters(text).replace(CONTROLS, ' ').trim()
}

/** A text of many lines: unchanged for a file or another program, without control characters for a terminal. */
export function terminalText(stdout: { readonly isTerminal: boolean }, text: string): string {
  return stdout.isTerminal ? text.replace(/[^\P{Cc}\t\r\n]|\r(?!\n)|\p{Bidi_Control}/gu, '\u{fffd}') : text
}

/** The number of terminal columns that the text takes: 2 for wide characters. */
export function textWidth(text: string): number {
  return stringWidth(text)
}

/** The text cut to at most `columns` terminal columns, with `…` if something was cut. */
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
