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

/** The text in lines of at most that many columns, broken between words, and in a word that is too long after a comma or a bar. */
export function wrapText(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const parts = textWidth(word) > columns ? word.split(/(?<=[,|])/) : [word]
    for (const [index, part] of parts.entries()) {
      const longer = index === 0 && line !== '' ? `${line} ${part}` : `${line}${part}`
      if (line !== '' && textWidth(longer) > columns) {
        lines.push(line)
        line = part
      } else line = longer
    }
  }
  return [...lines, line]
}

/** Words in columns at the beginning of a line. */
const LEADING_COLUMNS = /^ *(?:\S{1,20} {2,})*/

/** Wraps lines that are wider than the terminal between words; they stay below the text, right of the words in columns before it. */
export function wrapLines(text: string, columns: number): string {
  const wrapped = text.split('\n').flatMap((line) => {
    if (textWidth(line) <= columns) return [line]
    const [lead = ''] = LEADING_COLUMNS.exec(line) ?? []
    const indent = textWidth(lead) > columns / 2 ? '' : lead
    return wrapText(line.slice(indent.length), columns - textWidth(indent)).map((part, index) =>
      index === 0 ? `${indent}${part}` : `${' '.repeat(textWidth(indent))}${part}`,
    )
  })
  return wrapped.join('\n')
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']
let grouped: Intl.NumberFormat | undefined

/** `1,234,567` */
export function formatCount(count: number): string {
  grouped ??= new Intl.NumberFormat('en') // not earlier: it takes 4 ms of every start
  return grouped.format(count)
}

/** `1,204 tasks`, `1 task`. */
export function formatNumber(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** Powers of 1000, as disks and networks count: `117.3 MB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.95 would be shown as 1000.0
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${unit === 0 ? formatCount(value) : value.toFixed(1)} ${UNITS[unit]}`
}

/** `840 ms`, `4.2 s`, `3 min 05 s`, `2 h 10 min`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  const minutes = Math.round(seconds / 60)
  return `${formatCount(Math.floor(minutes / 60))} h ${pad(minutes % 60)} min`
}

/** A stopwatch: `0:32`, `12:05`, `1:02:05`. */
export function formatClock(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)]
  const rest = pad(seconds % 60)
  return hours > 0 ? `${hours}:${pad(minutes)}:${rest}` : `${minutes}:${rest}`
}

function pad(value: number): string {
  return String(value).padStart(2, '0')
}
