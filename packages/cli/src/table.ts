import { fitText, plainText, textWidth } from './text.ts'

export type Align = 'left' | 'right'

/** A column's header, or its header with more about it. */
export type Column = string | ColumnOptions

/** Header and layout of a column. */
export interface ColumnOptions {
  readonly header: string
  /** Default: numbers to the right, everything else to the left. */
  readonly align?: Align
  /** Not cut unless it takes half of the terminal: ids, which people copy. The first column is never cut. */
  readonly isWhole?: boolean
  /** Left out where the terminal is too narrow for all columns; the last such column goes first. */
  readonly isOptional?: boolean
}

export interface TableOptions {
  /**
   * Columns of the terminal; to fit, optional columns are left out and the widest are cut, or each row is folded: a line for each value.
   * Default: nothing is cut.
   */
  readonly width?: number | undefined
  /** Columns without spaces in their values, such as ids and times, are whole: for columns that are not known. */
  readonly keepsWords?: boolean
  /** `false`: each row is one line, even if it does not fit. */
  readonly folds?: boolean
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
  const { width: available = Infinity, keepsWords = false, folds = true } = options
  const all = columns.map((column, index) => {
    const { header, ...rest } = typeof column === 'string' ? { header: column } : column
    const texts = rows.map((row) => cellText(row[index]))
    const width = [header, ...texts].reduce((widest, text) => Math.max(widest, textWidth(text)), 0)
    const isWord = keepsWords && !texts.some((text) => text.includes(' '))
    return { align: alignOf(rows, index), isWhole: isWord, ...rest, header: plainText(header), texts, width }
  })
  const shown = fitColumns(all, available)
  const widths = shown.map(({ width }) => width)
  if (folds && shown.length > 1 && excess(widths, available) > 0) return foldRows(all, rows.length, available)
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

type Fitted = Omit<ColumnOptions, 'header'> & { readonly width: number }

/** How much wider than the terminal columns of these widths are. */
function excess(widths: readonly number[], available: number): number {
  return widths.reduce((sum, width) => sum + width + GAP, -GAP) - available
}

/** Leaves out optional columns, the last one first, and cuts the widest of the others, until they fit or none can be cut. */
function fitColumns<C extends Fitted>(columns: readonly C[], available: number): C[] {
  const isCuttable = ({ isWhole, width }: C) => !isWhole || width > available / 2
  const shown = columns.map((column, index) => ({ column, least: leastWidth(column, index > 0 && isCuttable(column)) }))
  while (
    excess(
      shown.map(({ least }) => least),
      available,
    ) > 0
  ) {
    const last = shown.findLastIndex(({ column }) => column.isOptional)
    if (last === -1) break
    shown.splice(last, 1)
  }
  const widths = shown.map(({ column }) => column.width)
  for (let left = excess(widths, available); left > 0; left -= 1) {
    const cuttable = widths.map((width, index) => (width > (shown[index]?.least ?? width) ? width : 0))
    const widest = Math.max(...cuttable)
    if (widest === 0) break
    widths[cuttable.indexOf(widest)] = widest - 1
  }
  return shown.map(({ column }, index) => ({ ...column, width: widths[index] ?? column.width }))
}

function leastWidth({ width }: Fitted, isCuttable: boolean): number {
  return isCuttable ? Math.min(width, MIN_WIDTH) : width
}

/** Each row as lines of a header and a value, with an empty line between two rows. */
function foldRows(
  columns: readonly { readonly header: string; readonly texts: readonly string[] }[],
  count: number,
  available: number,
): string {
  const headers = Math.max(...columns.map(({ header }) => textWidth(header)))
  const fold = (row: number) =>
    columns
      .map(({ header, texts }) =>
        fitText(`${padText(header, headers, 'left')}  ${texts[row] ?? ''}`, available).trimEnd(),
      )
      .join('\n')
  if (count === 0) return columns.map(({ header }) => header).join(', ')
  return Array.from({ length: count }, (_, row) => fold(row)).join('\n\n')
}

function padText(text: string, width: number, align: Align): string {
  const padding = ' '.repeat(Math.max(0, width - textWidth(text)))
  return align === 'right' ? padding + text : text + padding
}
