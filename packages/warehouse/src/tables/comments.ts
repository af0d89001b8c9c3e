import type { Comment, CommentFile, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, enumColumn, idColumn, LEFT_OUT, type Table } from '../convert/table.ts'
import type { UniqueKeys } from '../convert/unique-keys.ts'
import { userRef } from './users.ts'

/** docs/service-api.md#comment: the columns that comments of posts and of files share. */
export const commentColumns = [
  idColumn('cid', 'comment id'),
  column('message', 'text', 'content'),
  column('raw_message', 'text', 'content in markdown'),
  enumColumn('type', 'kind of content', { 1: 'text', 2: 'emotion', 3: 'audio' }),
  enumColumn('format', 'format of the content', { 1: 'text', 2: 'html' }),
  idColumn('owner_uid', 'user id of the author'),
  column('created_at', 'timestamptz', 'comment time'),
]

export const commentFiles: Table = {
  name: 'comment_files',
  comment: 'Files attached to comments; a file that is only named by its id has no more than that',
  // ids of comments are unique within one post or file, not beyond it
  key: ['pid', 'parent_kind', 'parent_id', 'cid', 'fid'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('parent_kind', 'what was commented on: post or file'),
    idColumn('parent_id', 'post or file id, by parent_kind'),
    idColumn('cid', 'comment id'),
    idColumn('fid', 'file id'),
    column('name', 'text', 'file name'),
    column('description', 'text', 'file description'),
    column('size_bytes', 'bigint', 'size in bytes'),
    column('path', 'text', 'file path'),
    idColumn('folder_id', 'containing folder id; null at the top'),
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

/** The comment whose attached files are written: the first columns of each of their rows, the project's id aside. */
type CommentKey = readonly [kind: 'post' | 'file', parent: string, cid: string]

/** Writes a comment into `table`, under the post or file whose id is `parent`, and the files attached to it. */
export function commentRows(rows: RowWriter, table: Table, parent: string, comment: Received<typeof Comment>): void {
  const cid = rows.key(comment.cid, 'cid')
  rows.row(table, [
    rows.pid,
    parent,
    cid,
    rows.text(comment.message, 'message'),
    rows.text(comment.raw_message, 'raw_message'),
    rows.smallint(comment.type, 'type'),
    rows.smallint(comment.format, 'format'),
    userRef(rows, comment.owner, 'owner'),
    rows.timestamp(comment.created_at, 'created_at'),
    rows.extra(comment.extra),
  ])
  const key: CommentKey = [table.name === 'post_comments' ? 'post' : 'file', parent, cid]
  // what the list said of these files before still holds
  const isUnknown = rows.isUnknownList('files')
  const guard = rows.newList()
  for (const [index, file] of comment.files.entries()) {
    rows.within('files', index)
    fileRow(rows, key, file, guard)
  }
  for (const [index, sent] of comment.fids.entries()) {
    rows.within('fids', index)
    if (sent === '') {
      rows.lose('', 'unkeyed', sent)
      continue
    }
    const fid = rows.key(sent, '')
    // most are named in both lists, and twice in this one says no more
    if (guard.has(fid)) continue
    const none = isUnknown ? LEFT_OUT : null
    rows.row(commentFiles, [rows.pid, ...key, guard.add(fid), none, none, none, none, none, none])
  }
  rows.within('')
}

function fileRow(rows: RowWriter, key: CommentKey, file: Received<typeof CommentFile>, guard: UniqueKeys): void {
  const fid = rows.key(file.fid, 'fid')
  if (!guard.isNew(fid, file)) return
  rows.row(commentFiles, [
    rows.pid,
    ...key,
    fid,
    rows.text(file.name, 'name'),
    rows.text(file.desc, 'desc'),
    rows.bigint(file.size, 'size'),
    rows.text(file.path, 'path'),
    rows.id(file.folder_id, 'folder_id'),
    rows.extra(rows.withSizeText(rows.withOtherPid(file.extra, file.pid), file.size)),
  ])
}
