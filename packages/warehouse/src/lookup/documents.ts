import type { Connection } from '../driver/driver.ts'
import { ownerIn, partOf, rowsIn, type Selected, shortName, sliced, text, textPart, userName } from './session.ts'
import type { CommentDetails, PageDetails, PostDetails, RecordHead, Slice } from './types.ts'

const MAX_CHILDREN = 100

const MAX_FILES = 20

/** Characters of a comment that are shown with its post. */
const COMMENT_CHARACTERS = 4000

/** SQL of the columns of a page or post `t`, with its owner and project. */
function head(table: 'pages' | 'posts'): { readonly columns: string; readonly from: string } {
  return {
    columns: `t.pid, ${shortName('r.name')} AS project_name, ${shortName('t.name')} AS name, ${shortName('t.summary')} AS summary,
      t.created_at, t.updated_at, t.owner_uid, ${userName('u')} AS owner_name`,
    from: `${table} t LEFT JOIN projects r ON r.pid = t.pid LEFT JOIN users u ON u.uid = t.owner_uid`,
  }
}

export function headIn(row: Selected): RecordHead {
  return {
    pid: String(row['pid']),
    project_name: text(row['project_name']),
    name: text(row['name']),
    created_at: text(row['created_at']),
    updated_at: text(row['updated_at']),
  }
}

export async function readPage(
  connection: Connection,
  pid: string,
  id: string,
  part: Slice,
): Promise<PageDetails | null> {
  const { columns, from } = head('pages')
  const found = await connection.query(
    `SELECT ${columns}, t.page_id, q.page_id AS parent_id, ${shortName('q.name')} AS parent_name, ${partOf('t.content', '$3', '$4')}
     FROM ${from} LEFT JOIN pages q ON q.pid = t.pid AND q.page_id = t.parent_id AND q.deleted_at IS NULL
     WHERE t.pid = $1 AND t.page_id = $2 AND t.deleted_at IS NULL`,
    [pid, id, part.offset + 1, part.limit],
  )
  const [row] = rowsIn(found)
  if (row === undefined) return null
  const children = await connection.query(
    `SELECT page_id, ${shortName('name')} AS name FROM pages
     WHERE pid = $1 AND parent_id = $2 AND deleted_at IS NULL ORDER BY page_id LIMIT ${MAX_CHILDREN + 1}`,
    [pid, id],
  )
  const pageIn = (of: Selected, prefix = '') => ({
    page_id: String(of[`${prefix}${prefix === '' ? 'page_id' : 'id'}`]),
    name: text(of[`${prefix}name`]),
  })
  return {
    ...headIn(row),
    page_id: String(row['page_id']),
    summary: text(row['summary']),
    owner: ownerIn(row),
    parent: row['parent_id'] === null ? null : pageIn(row, 'parent_'),
    children: sliced(rowsIn(children), MAX_CHILDREN, (child) => pageIn(child)),
    content: textPart(row, part),
  }
}

export async function readPost(
  connection: Connection,
  { pid, id }: { readonly pid: string; readonly id: string },
  part: Slice,
  comments: Slice,
): Promise<PostDetails | null> {
  const { columns, from } = head('posts')
  const found = await connection.query(
    `SELECT ${columns}, t.post_id, ${partOf('t.content', '$3', '$4')},
       (SELECT count(*) FROM post_comments c WHERE c.pid = $1 AND c.post_id = $2 AND c.deleted_at IS NULL)::int AS comment_count
     FROM ${from} WHERE t.pid = $1 AND t.post_id = $2 AND t.deleted_at IS NULL`,
    [pid, id, part.offset + 1, part.limit],
  )
  const [row] = rowsIn(found)
  if (row === undefined) return null
  const rows = await readComments(connection, { pid, id }, { offset: 0, limit: COMMENT_CHARACTERS }, comments)
  return {
    ...headIn(row),
    post_id: String(row['post_id']),
    summary: text(row['summary']),
    owner: ownerIn(row),
    content: textPart(row, part),
    comments: { items: rows.slice(0, comments.limit), hasMore: rows.length > comments.limit },
    comment_count: Number(row['comment_count']),
  }
}

/** Comments of a post, the oldest first, and one more than asked for; or the one of `cid`. */
export async function readComments(
  connection: Connection,
  { pid, id, cid }: { readonly pid: string; readonly id: string; readonly cid?: string },
  part: Slice,
  { offset, limit }: Slice,
): Promise<CommentDetails[]> {
  const params: unknown[] = [pid, id, part.offset + 1, part.limit, offset, limit + 1]
  const only = cid === undefined ? '' : ` AND t.cid = $${params.push(cid)}`
  const body = "coalesce(nullif(t.raw_message, ''), t.message)"
  const found = await connection.query(
    `SELECT t.cid, t.created_at, t.owner_uid, ${userName('u')} AS owner_name, ${partOf(body, '$3', '$4')},
       (SELECT jsonb_agg(jsonb_build_object('fid', f.fid, 'name', f.name)) FROM (
         SELECT fid, ${shortName('name')} AS name FROM comment_files a
         WHERE a.pid = t.pid AND a.parent_kind = 'post' AND a.parent_id = t.post_id AND a.cid = t.cid AND a.deleted_at IS NULL
         ORDER BY fid LIMIT ${MAX_FILES}) f) AS files
     FROM post_comments t LEFT JOIN users u ON u.uid = t.owner_uid
     WHERE t.pid = $1 AND t.post_id = $2 AND t.deleted_at IS NULL${only} ORDER BY t.created_at, t.cid OFFSET $5::int LIMIT $6::int`,
    params,
  )
  return rowsIn(found).map((row) => ({
    cid: String(row['cid']),
    owner: ownerIn(row),
    created_at: text(row['created_at']),
    text: textPart(row, part),
    files: (row['files'] ?? []) as CommentDetails['files'], // as aggregated above
  }))
}
