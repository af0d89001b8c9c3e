import type { Comment, CommentFile, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import type { UniqueKeys } from '../convert/unique-keys.ts'
import { column, enumColumn, idColumn, type Table } from './table.ts'
import { userRef } from './users.ts'

/** API page, 2.5: the columns that comments of posts and of files share. */
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
  key: ['pid', 'cid', 'fid'],
  columns: [
    idColumn('pid', 'project id'),
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
  parent: { tables: ['post_comments', 'file_comments'], on: ['cid'] },
  shared: true,
}

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
  const guard = rows.newList()
  for (const [index, file] of comment.files.entries()) {
    rows.within('files', index)
    fileRow(rows, cid, file, guard)
  }
  for (const [index, sent] of comment.fids.entries()) {
    rows.within('fids', index)
    if (sent === '') {
      rows.lose('', 'unkeyed', sent)
      continue
    }
    const fid = rows.key(sent, '')
    // most are named in both lists, and twice in this one says no more
    if (!guard.has(fid)) rows.row(commentFiles, [rows.pid, cid, guard.add(fid), null, null, null, null, null, null])
  }
  rows.within('')
}

function fileRow(rows: RowWriter, cid: string, file: Received<typeof CommentFile>, guard: UniqueKeys): void {
  const fid = rows.key(file.fid, 'fid')
  if (!guard.isNew(fid, file)) return
  rows.row(commentFiles, [
    rows.pid,
    cid,
    fid,
    rows.text(file.name, 'name'),
    rows.text(file.desc, 'desc'),
    rows.bigint(file.size, 'size'),
    rows.text(file.path, 'path'),
    rows.id(file.folder_id, 'folder_id'),
    rows.extra(rows.withOtherPid(file.extra, file.pid)),
  ])
}
