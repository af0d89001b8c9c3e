import { type Connection, records } from '../driver/driver.ts'
import { OWNER, shortName, sliced, textPart } from './session.ts'
import type { CommentDetails, Commented, PageDetails, PostDetails, Slice } from './types.ts'

const MAX_CHILDREN = 100

const MAX_FILES = 20

/** The characters of a comment that are shown with its post or task. */
export const COMMENT_PART: Slice = { offset: 0, limit: 4000 }

/** SQL of the columns that pages and posts `t` share, and where they come from. */
const COLUMNS = `t.pid, ${shortName('r.name')} AS project_name, ${shortName('t.name')} AS name, ${shortName('t.summary')} AS summary,
  t.created_at, t.updated_at, ${OWNER} AS owner, ${textPart('t.content')} AS content`
const JOINS = 'LEFT JOIN projects r ON r.pid = t.pid LEFT JOIN users u ON u.uid = t.owner_uid'

export async function readPage(
  connection: Connection,
  pid: string,
  id: string,
  part: Slice,
): Promise<PageDetails | null> {
  const [page] = records<Omit<PageDetails, 'children'>>(
    await connection.query(
      `SELECT ${COLUMNS}, t.page_id,
         CASE WHEN q.page_id IS NOT NULL THEN jsonb_build_object('page_id', q.page_id, 'name', ${shortName('q.name')}) END AS parent
       FROM pages t ${JOINS} LEFT JOIN pages q ON q.pid = t.pid AND q.page_id = t.parent_id AND q.deleted_at IS NULL
       WHERE t.pid = $1 AND t.page_id = $2 AND t.deleted_at IS NULL`,
      [pid, id, part.offset, part.limit],
    ),
  )
  if (page === undefined) return null
  const children = await connection.query(
    `SELECT page_id, ${shortName('name')} AS name FROM pages
     WHERE pid = $1 AND parent_id = $2 AND deleted_at IS NULL ORDER BY page_id LIMIT ${MAX_CHILDREN + 1}`,
    [pid, id],
  )
  return { ...page, children: sliced(records(children), MAX_CHILDREN) }
}

export async function readPost(
  connection: Connection,
  { pid, id }: { readonly pid: string; readonly id: string },
  part: Slice,
  comments: Slice,
): Promise<PostDetails | null> {
  const [post] = records<Omit<PostDetails, 'comments'>>(
    await connection.query(
      `SELECT ${COLUMNS}, t.post_id,
         (SELECT count(*) FROM post_comments c WHERE c.pid = $1 AND c.post_id = $2 AND c.deleted_at IS NULL) AS comment_count
       FROM posts t ${JOINS} WHERE t.pid = $1 AND t.post_id = $2 AND t.deleted_at IS NULL`,
      [pid, id, part.offset, part.limit],
    ),
  )
  if (post === undefined) return null
  const rows = await readComments(connection, { kind: 'post', pid, id }, COMMENT_PART, comments)
  return { ...post, comments: sliced(rows, comments.limit) }
}

const COMMENTS = {
  post: { table: 'post_comments', parent: 'post_id' },
  task: { table: 'task_comments', parent: 'tid' },
} as const

/** Comments of a post or task, the oldest first, and one more than asked for; or the one of `cid`. */
export async function readComments(
  connection: Connection,
  { kind, pid, id, cid }: Commented & { readonly cid?: string },
  part: Slice,
  { offset, limit }: Slice,
): Promise<CommentDetails[]> {
  const { table, parent } = COMMENTS[kind]
  const params: unknown[] = [pid, id, part.offset, part.limit, offset, limit + 1]
  const only = cid === undefined ? '' : ` AND t.cid = $${params.push(cid)}`
  const found = await connection.query(
    `SELECT t.cid, ${OWNER} AS owner, t.created_at, ${textPart("coalesce(nullif(t.raw_message, ''), t.message)")} AS text,
       coalesce((SELECT jsonb_agg(jsonb_build_object('fid', f.fid, 'name', f.name)) FROM (
         SELECT fid, ${shortName('name')} AS name FROM comment_files a
         WHERE a.pid = t.pid AND a.parent_kind = '${kind}' AND a.parent_id = t.${parent} AND a.cid = t.cid AND a.deleted_at IS NULL
         ORDER BY fid LIMIT ${MAX_FILES}) f), '[]') AS files
     FROM ${table} t LEFT JOIN users u ON u.uid = t.owner_uid
     WHERE t.pid = $1 AND t.${parent} = $2 AND t.deleted_at IS NULL${only} ORDER BY t.created_at, t.cid OFFSET $5::int LIMIT $6::int`,
    params,
  )
  return records<CommentDetails>(found)
}
