import type { File, Received } from '@collab-etl/contract'
import type { RecordKinds } from '@collab-etl/contract/streams'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, enumColumn, idColumn, type Table } from '../convert/table.ts'
import { commentColumns, commentRows } from './comments.ts'
import { userList, userRef } from './users.ts'

/** docs/service-api.md#file. */
export const files: Table = {
  name: 'files',
  comment: 'Files and folders that are known; the service does not list them',
  key: ['pid', 'fid'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('fid', 'file id'),
    column('name', 'text', 'name'),
    column('description', 'text', 'description'),
    column('size_bytes', 'bigint', 'size in bytes'),
    column('path', 'text', 'path'),
    idColumn('folder_id', 'parent folder id; null at the top'),
    enumColumn('type', 'kind', { 0: 'file', 1: 'folder' }),
    column('created_at', 'timestamptz', 'upload time'),
    column('updated_at', 'timestamptz', 'update time'),
    idColumn('owner_uid', 'user id of the uploader'),
  ],
  streams: ['files'],
  deletedBy: 'gone',
  isRecord: true,
}

const child = { streams: ['files'], deletedBy: 'parent', parent: { tables: ['files'], on: ['fid'] } } as const

const ofFile = [idColumn('pid', 'project id'), idColumn('fid', 'file id')]

export const fileWatchers: Table = {
  name: 'file_watchers',
  comment: 'Members watching files',
  key: ['pid', 'fid', 'uid'],
  columns: [...ofFile, idColumn('uid', 'user id')],
  ...child,
}

export const fileComments: Table = {
  name: 'file_comments',
  comment: 'Comments of files',
  key: ['pid', 'fid', 'cid'],
  columns: [...ofFile, ...commentColumns],
  ...child,
  isRecord: true,
}

export function fileRows(rows: RowWriter, file: Received<typeof File>): void {
  const fid = rows.key(file.fid, 'fid')
  rows.row(files, [
    rows.pid,
    fid,
    rows.text(file.name, 'name'),
    rows.text(file.desc, 'desc'),
    rows.bigint(file.size, 'size'),
    rows.text(file.path, 'path'),
    rows.id(file.folder_id, 'folder_id'),
    rows.smallint(file.type, 'type'),
    rows.timestamp(file.created_at, 'created_at'),
    rows.timestamp(file.updated_at, 'updated_at'),
    userRef(rows, file.owner, 'owner'),
    rows.extra(rows.withSizeText(rows.withOtherPid(file.extra, file.pid), file.size)),
  ])
  userList(rows, fileWatchers, file.watchers, 'watchers', [rows.pid, fid])
}

export function fileCommentRows(rows: RowWriter, record: RecordKinds['file_comment']): void {
  commentRows(rows, fileComments, rows.key(record.fid, 'fid'), record.comment)
}
