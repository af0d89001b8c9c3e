import type { Row } from '@collab-etl/contract/source'

export type { Row } from '@collab-etl/contract/source'

/** Reads rows of the tables whose records have places. */
export interface RowSource {
  /** Rows in the order of the table's key, compared by bytes. */
  rows(
    table: 'pages' | 'posts' | 'files' | 'tasks',
    options: { readonly pid: string; readonly columns: readonly string[] },
  ): AsyncIterable<Row>
}

/** A text column; `null` for NULL. */
export function textOf(row: Row, column: string): string | null {
  const value = row[column]
  return typeof value === 'string' ? value : null
}

/** A column of the key, which is never NULL. */
export function keyOf(row: Row, column: string): string {
  const value = row[column]
  if (typeof value === 'string') return value
  throw new TypeError(`a row without its key column ${column}`)
}

/** The text of a page or post, and the column that it is from. */
export interface Content {
  readonly text: string
  readonly field: 'content' | 'summary'
}

/** The content; the summary if there is no content. */
export function contentOf(row: Row): Content {
  const content = textOf(row, 'content')
  if (content !== null) return { text: content, field: 'content' }
  const summary = textOf(row, 'summary')
  return summary === null ? { text: '', field: 'content' } : { text: summary, field: 'summary' }
}
