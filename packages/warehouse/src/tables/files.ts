import type { File, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, project } from './columns.ts'
import { commentColumns } from './comments.ts'

const of = columnsOf<Received<typeof File>>()

/** docs/service-api.md#file. */
export const files: Table = {
  name: 'files',
  comment: 'Files and folders that are known; the service does not list them',
  key: ['pid', 'fid'],
  columns: [
    project,
    of.key('fid', 'file id'),
    of.text('name', 'name'),
    of.text('description', 'description', 'desc'),
    of.size('size_bytes', 'size in bytes', 'size'),
    of.text('path', 'path'),
    of.id('folder_id', 'parent folder id; null at the top'),
    of.enumeration('type', 'kind', { 0: 'file', 1: 'folder' }),
    of.time('created_at', 'upload time'),
    of.time('updated_at', 'update time'),
    of.user('owner_uid', 'user id of the uploader', 'owner'),
  ],
  streams: ['files'],
  deletedBy: 'gone',
  isRecord: true,
}

const child = { streams: ['files'], deletedBy: 'parent', parent: { tables: ['files'], on: ['fid'] } } as const

const ofFile = [given('pid', 'project id'), given('fid', 'file id')]

export const fileWatchers: Table = {
  name: 'file_watchers',
  comment: 'Members watching files',
  key: ['pid', 'fid', 'uid'],
  columns: [...ofFile, given('uid', 'user id')],
  ...child,
  list: { field: 'watchers', ofUsers: true },
}

export const fileComments: Table = {
  name: 'file_comments',
  comment: 'Comments of files',
  key: ['pid', 'fid', 'cid'],
  columns: [...ofFile, ...commentColumns],
  ...child,
  isRecord: true,
}
