import { fitText, plainText, textWidth } from './text.ts'

export type Align = 'left' | 'right'

/** A column's header, or its header with more about it. */
export type Column = string | ColumnOptions

/** Header and layout of a column. */
export interface ColumnOptions {
  readonly header: string
  /** Default: numbers to the right, everything else to the left. */
  readonly align?: Align
  /** Never cut, however narrow the terminal: ids, which people copy. */
  readonly isWhole?: boolean
  /** Left out where the terminal is too narrow for all columns; the last such column goes first. */
  readonly isOptional?: boolean
}

export interface TableOptions {
  /** Columns of the terminal; optional columns are left out and the widest are cut to fit. Default: nothing is cut. */
  readonly width?: number | undefined
}

/** Between two columns. */
const GAP = 2

/** No column is cut below this, so that each remains readable. */
const MIN_WIDTH = 8

/**
 * Lines up values in columns by the width they take on a terminal. Each value becomes one harmless line: objects as JSON,
 * dates as ISO 8601, null as nothing.
 * @example formatTable(['pid', { header: 'size', align: 'right' }], [['P1', '2 kB']], { width: 80 })
 */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly unknown[])[],
  options: TableOptions = {},
): string {
  const all = columns.map((column, index) => {
    const { header, ...rest } = typeof column === 'string' ? { header: column } : column
    const texts = rows.map((row) => cellText(row[index]))
    const width = [header, ...texts].reduce((widest, text) => Math.max(widest, textWidth(text)), 0)
    return { align: alignOf(rows, index), ...rest, header: plainText(header), texts, width }
  })
  const shown = options.width === undefined ? all : fitColumns(all, options.width)
  const line = (texts: readonly string[]) =>
    shown
      .map(({ width, align }, index) => padText(fitText(texts[index] ?? '', width), width, align))
      .join(' '.repeat(GAP))
      .trimEnd()
  return [
    line(shown.map(({ header }) => header)),
    line(shown.map(({ width }) => '─'.repeat(width))),
    ...rows.map((_, row) => line(shown.map(({ texts }) => texts[row] ?? ''))),
  ].join('\n')
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return plainText(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

function alignOf(rows: readonly (readonly unknown[])[], index: number): Align {
  const values = rows.map((row) => row[index]).filter((value) => value !== null && value !== undefined)
  const numeric = values.every((value) => typeof value === 'number' || typeof value === 'bigint')
  return values.length > 0 && numeric ? 'right' : 'left'
}

/** Leaves out optional columns, the last one first, and cuts the widest of the others, until they fit. */
function fitColumns<C extends Omit<ColumnOptions, 'header'> & { readonly width: number }>(
  columns: readonly C[],
  available: number,
): C[] {
  const shown = [...columns]
  const excess = (widths: readonly number[]) => widths.reduce((sum, width) => sum + width + GAP, -GAP) - available
  const least = ({ isWhole, width }: C) => (isWhole ? width : Math.min(width, MIN_WIDTH))
  while (excess(shown.map(least)) > 0) {
    const last = shown.findLastIndex(({ isOptional }) => isOptional)
    if (last === -1) break
    shown.splice(last, 1)
  }
  const widths = shown.map(({ width }) => width)
  for (let left = excess(widths); left > 0; left -= 1) {
    const cuttable = widths.map((width, index) => (shown[index]?.isWhole ? 0 : width))
    const widest = Math.max(...cuttable)
    if (widest <= MIN_WIDTH) break
    widths[cuttable.indexOf(widest)] = widest - 1
  }
  return shown.map((column, index) => ({ ...column, width: widths[index] ?? column.width }))
}

function padText(text: string, width: number, align: Align): string {
  const padding = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? padding + text : text + padding
}
