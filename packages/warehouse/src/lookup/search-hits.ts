import { type Connection, records } from '../driver/driver.ts'
import { shortName } from './session.ts'
import type { SearchHit, SearchKind } from './types.ts'

/** Where the title and the text of a kind of records are. */
interface SearchSource {
  readonly table: string
  readonly id: string
  /** Column of the comment's own id. */
  readonly cid?: string
  readonly title: string | null
  /** Of comments, the table of the records that they are on. */
  readonly parent?: 'posts' | 'tasks'
  /** Column of the text, and the one that takes its place where it is empty. */
  readonly text: readonly [column: string, other?: string]
  readonly time: string
}

const document = { title: 'name', text: ['content', 'summary'], time: 'updated_at' } as const

const comment = { cid: 'cid', title: null, time: 'created_at', text: ['raw_message', 'message'] } as const

export const SEARCH_SOURCES: Readonly<Record<SearchKind, SearchSource>> = {
  page: { table: 'pages', id: 'page_id', ...document },
  post: { table: 'posts', id: 'post_id', ...document },
  comment: { table: 'post_comments', id: 'post_id', parent: 'posts', ...comment },
  task_comment: { table: 'task_comments', id: 'tid', parent: 'tasks', ...comment },
  task: { table: 'tasks', id: 'tid', title: 'name', text: ['description'], time: 'updated_at' },
}

/** SQL: whether a column of the row `t` is empty. Only its length is read: a text may be stored compressed. */
export function isEmpty(column: string): string {
  return `coalesce(octet_length(t.${column}), 0) = 0`
}

/** Characters of an excerpt, and of these before the word. */
const EXCERPT = 240
const BEFORE_WORD = 80

/** The key of a record; `cid` is empty unless it is a comment. */
export interface HitKey {
  readonly kind: SearchKind
  readonly pid: string
  readonly id: string
  readonly cid: string
}

/** Titles and excerpts, for the few records that are shown. */
export async function hitsOf(
  connection: Connection,
  kind: SearchKind,
  keys: readonly HitKey[],
  terms: readonly string[][],
): Promise<SearchHit[]> {
  const {
    table,
    id,
    cid,
    title,
    parent,
    text: [column, other],
    time,
  } = SEARCH_SOURCES[kind]
  const content =
    other === undefined ? `t.${column}` : `CASE WHEN ${isEmpty(column)} THEN t.${other} ELSE t.${column} END`
  const on =
    parent === undefined ? '' : `LEFT JOIN ${parent} p ON p.pid = t.pid AND p.${id} = t.${id} AND p.deleted_at IS NULL`
  const result = await connection.query(
    `SELECT '${kind}' AS kind, t.pid, ${shortName('r.name')} AS project_name, t.${id} AS id${cid === undefined ? '' : `, t.${cid} AS cid`},
       ${shortName(title === null ? 'p.name' : `t.${title}`)} AS name, t.${time} AS updated_at,
       coalesce(substr(${content}, greatest(coalesce((SELECT min(strpos(lower((${content}) COLLATE "C"), form)) FROM unnest($1::text[]) form
         WHERE strpos(lower((${content}) COLLATE "C"), form) > 0), 1) - ${BEFORE_WORD}, 1), ${EXCERPT}), '') AS excerpt
     FROM unnest($2::text[], $3::text[], $4::text[]) AS k (pid, id, cid)
     JOIN ${table} t ON t.pid = k.pid AND t.${id} = k.id${cid === undefined ? '' : ` AND t.${cid} = k.cid`}
     LEFT JOIN projects r ON r.pid = t.pid ${on}`,
    [terms.flat(), ...(['pid', 'id', 'cid'] as const).map((name) => keys.map((key) => key[name]))],
  )
  return records<SearchHit>(result)
}
