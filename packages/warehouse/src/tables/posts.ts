import type { Post, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, project } from './columns.ts'
import { commentColumns } from './comments.ts'

const of = columnsOf<Received<typeof Post>>()

/** docs/service-api.md#post. */
export const posts: Table = {
  name: 'posts',
  comment: 'Discussion posts that are known; the service does not list them',
  key: ['pid', 'post_id'],
  columns: [
    project,
    of.key('post_id', 'post id'),
    of.text('name', 'title'),
    of.text('summary', 'content'),
    of.text('content', 'content in markdown'),
    of.time('created_at', 'creation time'),
    of.time('updated_at', 'update time'),
    of.user('owner_uid', 'user id of the creator', 'owner'),
  ],
  streams: ['posts'],
  deletedBy: 'gone',
  isRecord: true,
}

const child = { streams: ['posts'], deletedBy: 'parent', parent: { tables: ['posts'], on: ['post_id'] } } as const

const ofPost = [given('pid', 'project id'), given('post_id', 'post id')]

export const postWatchers: Table = {
  name: 'post_watchers',
  comment: 'Members watching posts',
  key: ['pid', 'post_id', 'uid'],
  columns: [...ofPost, given('uid', 'user id')],
  ...child,
  list: { field: 'watchers', ofUsers: true },
}

export const postComments: Table = {
  name: 'post_comments',
  comment: 'Comments of posts',
  key: ['pid', 'post_id', 'cid'],
  columns: [...ofPost, ...commentColumns],
  ...child,
  isRecord: true,
}
