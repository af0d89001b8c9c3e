import type { Comment, CommentFile, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, project } from './columns.ts'

const of = columnsOf<Received<typeof Comment>>()

/** docs/service-api.md#comment: the columns that comments of posts and of files share. */
export const commentColumns = [
  of.key('cid', 'comment id'),
  of.text('message', 'content'),
  of.text('raw_message', 'content in markdown'),
  of.enumeration('type', 'kind of content', { 1: 'text', 2: 'emotion', 3: 'audio' }),
  of.enumeration('format', 'format of the content', { 1: 'text', 2: 'html' }),
  of.user('owner_uid', 'user id of the author', 'owner'),
  of.time('created_at', 'comment time'),
]

const ofFile = columnsOf<Received<typeof CommentFile>>()

export const commentFiles: Table = {
  name: 'comment_files',
  comment: 'Files attached to comments; a file that is only named by its id has no more than that',
  // ids of comments are unique within one post or file, not beyond it
  key: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  columns: [
    project,
    given('parent_kind', 'what was commented on: post or file'),
    given('parent_id', 'post or file id, by parent_kind'),
    given('cid', 'comment id'),
    ofFile.key('fid', 'file id'),
    ofFile.text('name', 'file name'),
    ofFile.text('description', 'file description', 'desc'),
    ofFile.size('size_bytes', 'size in bytes', 'size'),
    ofFile.text('path', 'file path'),
    ofFile.id('folder_id', 'containing folder id; null at the top'),
  ],
  streams: ['posts', 'files'],
  deletedBy: 'parent',
  parent: {
    tables: ['post_comments', 'file_comments'],
    on: ['parent_kind', 'parent_id', 'cid'],
    as: {
      post_comments: { columns: { parent_id: 'post_id', cid: 'cid' }, fixed: { parent_kind: 'post' } },
      file_comments: { columns: { parent_id: 'fid', cid: 'cid' }, fixed: { parent_kind: 'file' } },
    },
  },
  shared: true,
}
