import { compareBytes } from '@collab-etl/contract/compare-bytes'
import type { ShownComment } from './markdown/comments.ts'
import type { People } from './people.ts'
import { keyOf, type Row, type RowSource, textOf } from './row.ts'

/** The files attached to comments of a project's posts, by post and comment: comment ids are unique only within a post. */
export type Attachments = ReadonlyMap<string, readonly Row[]>

export async function attachmentsOf(source: RowSource, pid: string): Promise<Attachments> {
  const attachments = new Map<string, Row[]>()
  for await (const row of source.rows('comment_files', { pid })) {
    if (row['parent_kind'] !== 'post') continue
    const key = commentKey(keyOf(row, 'parent_id'), keyOf(row, 'cid'))
    const others = attachments.get(key)
    if (others) others.push(row)
    else attachments.set(key, [row])
  }
  return attachments
}

/** The files attached to a comment, a row of `post_comments`. */
export function attachedTo(comment: Row, attachments: Attachments): readonly Row[] {
  return attachments.get(commentKey(keyOf(comment, 'post_id'), keyOf(comment, 'cid'))) ?? []
}

function commentKey(postId: string, cid: string): string {
  return JSON.stringify([postId, cid])
}

/** Comments in the order of their time; the service promises none. Those without a time come last. */
export function inTimeOrder(comments: readonly Row[]): Row[] {
  const time = (row: Row) => textOf(row, 'created_at') ?? '~'
  return comments.toSorted((a, b) => compareBytes(time(a), time(b)) || compareBytes(keyOf(a, 'cid'), keyOf(b, 'cid')))
}

/** A comment as it is shown, but for its text's links. */
export function shownComment(row: Row, people: People, attachments: Attachments): ShownComment {
  const cid = keyOf(row, 'cid')
  const type = row['type']
  return {
    cid,
    author: people.personOrNone(textOf(row, 'owner_uid')),
    createdAt: textOf(row, 'created_at'),
    text: textOf(row, 'raw_message') ?? textOf(row, 'message') ?? '',
    type: typeof type === 'number' ? type : null,
    attachments: attachedTo(row, attachments).map((file) => ({ fid: keyOf(file, 'fid'), name: textOf(file, 'name') })),
  }
}
