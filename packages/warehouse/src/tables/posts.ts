import type { Post, Received } from '@collab-etl/contract'
import type { RecordKinds } from '@collab-etl/contract/streams'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, idColumn, type Table } from '../convert/table.ts'
import { commentColumns, commentRows } from './comments.ts'
import { userList, userRef } from './users.ts'

/** docs/service-api.md#post. */
export const posts: Table = {
  name: 'posts',
  comment: 'Discussion posts that are known; the service does not list them',
  key: ['pid', 'post_id'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('post_id', 'post id'),
    column('name', 'text', 'title'),
    column('summary', 'text', 'content'),
    column('content', 'text', 'content in markdown'),
    column('created_at', 'timestamptz', 'creation time'),
    column('updated_at', 'timestamptz', 'update time'),
    idColumn('owner_uid', 'user id of the creator'),
  ],
  streams: ['posts'],
  deletedBy: 'gone',
  isRecord: true,
}

const child = { streams: ['posts'], deletedBy: 'parent', parent: { tables: ['posts'], on: ['post_id'] } } as const

const ofPost = [idColumn('pid', 'project id'), idColumn('post_id', 'post id')]

export const postWatchers: Table = {
  name: 'post_watchers',
  comment: 'Members watching posts',
  key: ['pid', 'post_id', 'uid'],
  columns: [...ofPost, idColumn('uid', 'user id')],
  ...child,
}

export const postComments: Table = {
  name: 'post_comments',
  comment: 'Comments of posts',
  key: ['pid', 'post_id', 'cid'],
  columns: [...ofPost, ...commentColumns],
  ...child,
  isRecord: true,
}

export function postRows(rows: RowWriter, post: Received<typeof Post>): void {
  const postId = rows.key(post.post_id, 'post_id')
  rows.row(posts, [
    rows.pid,
    postId,
    rows.text(post.name, 'name'),
    rows.text(post.summary, 'summary'),
    rows.text(post.content, 'content'),
    rows.timestamp(post.created_at, 'created_at'),
    rows.timestamp(post.updated_at, 'updated_at'),
    userRef(rows, post.owner, 'owner'),
    rows.extra(rows.withOtherPid(post.extra, post.pid)),
  ])
  userList(rows, postWatchers, post.watchers, 'watchers', [rows.pid, postId])
}

export function postCommentRows(rows: RowWriter, record: RecordKinds['post_comment']): void {
  commentRows(rows, postComments, rows.key(record.post_id, 'post_id'), record.comment)
}
