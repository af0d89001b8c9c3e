import { type Row, textOf } from './row.ts'

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
