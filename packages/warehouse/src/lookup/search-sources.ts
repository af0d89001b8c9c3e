import type { SearchKind } from './types.ts'

/** Where the title and the text of a kind of records are, with the row as `t`. */
export interface SearchSource {
  readonly table: string
  readonly id: string
  /** Column of the comment's own id. */
  readonly cid?: string
  readonly title: string | null
  readonly text: string
  readonly time: string
  /** SQL of the tokens of the title, and of title and text, and of the day of the last change, as the index has them. */
  readonly tokens: { readonly title: string | null; readonly all: string; readonly day: string }
  /** The order of the results, as the index has it; `t.` is left out. */
  readonly order: string
}

const document = {
  ...{ title: 't.name', text: body('content', 'summary'), time: 'updated_at' },
  tokens: {
    title: tokensOf('name'),
    all: tokensOf('name', 'content', 'summary'),
    day: `ARRAY[${dayOf('updated_at')}]`,
  },
}

export const SEARCH_SOURCES: Readonly<Record<SearchKind, SearchSource>> = {
  page: { table: 'pages', id: 'page_id', ...document, order: orderOf('updated_at', 'page_id') },
  post: { table: 'posts', id: 'post_id', ...document, order: orderOf('updated_at', 'post_id') },
  comment: {
    ...{ table: 'post_comments', id: 'post_id', cid: 'cid', title: null, time: 'created_at' },
    text: body('raw_message', 'message'),
    tokens: { title: null, all: tokensOf('raw_message', 'message'), day: `ARRAY[${dayOf('created_at')}]` },
    order: orderOf('created_at', 'post_id', 'cid'),
  },
  task: {
    ...{ table: 'tasks', id: 'tid', title: 't.name', text: 't.description', time: 'updated_at' },
    tokens: { title: tokensOf('name'), all: tokensOf('name', 'description'), day: `ARRAY[${dayOf('updated_at')}]` },
    order: orderOf('updated_at', 'tid'),
  },
}

/** SQL of a text, or another one where it is empty. Only its length is read for that: a text may be stored compressed. */
function body(column: string, other: string): string {
  return `CASE WHEN octet_length(t.${column}) > 0 THEN t.${column} ELSE t.${other} END`
}

function tokensOf(...columns: readonly string[]): string {
  return `search_tokens(${columns.join(', ')})`
}

/** SQL of the beginning of a day, in UTC without a time zone: indexes take only what no setting changes. */
export function dayOf(time: string): string {
  return `date_trunc('day', ${time} AT TIME ZONE 'UTC')`
}

function orderOf(time: string, ...ids: readonly string[]): string {
  return `${time} DESC NULLS LAST, ${['pid', ...ids].join(', ')}`
}
