import { fitText, plainText, textWidth } from './text.ts'

export type Align = 'left' | 'right'

/** A column's header, and its alignment where that should not follow from the values. */
export type Column = string | { readonly header: string; readonly align: Align }

export interface TableOptions {
  /** Columns of the terminal; the widest columns of the table are cut to fit. Left out: nothing is cut. */
  readonly width?: number
}

/** Between two columns. */
const GAP = 2

/** No column is cut below this, so that each still tells something. */
const MIN_WIDTH = 8

/**
 * Lines up values in columns by the width they take on a terminal; columns of numbers to the right. Each value becomes
 * one harmless line: objects as JSON, dates as ISO 8601, null as nothing.
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  options: TableOptions = {},
): string {
  const headers = columns.map((column) => plainText(typeof column === 'string' ? column : column.header))
  const cells = rows.map((row) => columns.map((_, index) => cellText(row[index])))
  const widths = headers.map((header, index) =>
    Math.max(textWidth(header), ...chunkedWidths(cells.map((row) => row[index] ?? ''))),
  )
  if (options.width !== undefined) shrink(widths, options.width)
  const aligns = columns.map((column, index) => (typeof column === 'string' ? alignOf(rows, index) : column.align))
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => padText(fitText(text, widths[index] ?? 0), widths[index] ?? 0, aligns[index] ?? 'left'))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [line(headers), line(widths.map((width) => '─'.repeat(width))), ...cells.map(line)].join('\n')
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return plainText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** The widest text, as a list of at most one: a spread of very many arguments would overflow the stack. */
function chunkedWidths(texts: readonly string[]): number[] {
  return [texts.reduce((widest, text) => Math.max(widest, textWidth(text)), 0)]
}

function alignOf(rows: readonly (readonly unknown[])[], index: number): Align {
  const values = rows.map((row) => row[index]).filter((value) => value !== null && value !== undefined)
  const numeric = values.every((value) => typeof value === 'number' || typeof value === 'bigint')
  return values.length > 0 && numeric ? 'right' : 'left'
}

function shrink(widths: number[], available: number): void {
  let excess = widths.reduce((sum, width) => sum + width, GAP * (widths.length - 1)) - available
  while (excess > 0) {
    const widest = Math.max(...widths)
    if (widest <= MIN_WIDTH) return
    widths[widths.indexOf(widest)] = widest - 1
    excess -= 1
  }
}

function padText(text: string, width: number, align: Align): string {
  const padding = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? padding + text : text + padding
}
