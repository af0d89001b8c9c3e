import type { SearchKind } from './types.ts'

/** Where the title and the text of a kind of records are. */
interface SearchSource {
  readonly table: string
  readonly id: string
  /** Column of the comment's own id. */
  readonly cid?: string
  readonly title: string | null
  /** Column of the text, and the one that takes its place where it is empty. */
  readonly text: readonly [column: string, other?: string]
  readonly time: string
}

const document = { title: 'name', text: ['content', 'summary'], time: 'updated_at' } as const

export const SEARCH_SOURCES: Readonly<Record<SearchKind, SearchSource>> = {
  page: { table: 'pages', id: 'page_id', ...document },
  post: { table: 'posts', id: 'post_id', ...document },
  comment: {
    ...{ table: 'post_comments', id: 'post_id', cid: 'cid', title: null, time: 'created_at' },
    text: ['raw_message', 'message'],
  },
  task: { table: 'tasks', id: 'tid', title: 'name', text: ['description'], time: 'updated_at' },
}

/** SQL: whether a column of the row `t` is empty. Only its length is read: a text may be stored compressed. */
export function isEmpty(column: string): string {
  return `coalesce(octet_length(t.${column}), 0) = 0`
}
