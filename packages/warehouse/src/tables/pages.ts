import type { Page, Received } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, given, project } from './columns.ts'

const of = columnsOf<Received<typeof Page>>()

/** docs/service-api.md#page. */
export const pages: Table = {
  name: 'pages',
  comment: 'Documents',
  key: ['pid', 'page_id'],
  columns: [
    project,
    of.key('page_id', 'document id'),
    of.id('parent_id', 'parent document id; null at the top level'),
    of.text('name', 'document name'),
    of.text('summary', 'document content'),
    of.text('content', 'content in markdown'),
    of.time('created_at', 'creation time'),
    of.time('updated_at', 'update time'),
    of.user('owner_uid', 'user id of the creator', 'owner'),
  ],
  streams: ['pages'],
  deletedBy: 'absence',
  isRecord: true,
  hashed: true,
}

export const pageWatchers: Table = {
  name: 'page_watchers',
  comment: 'Members watching documents',
  key: ['pid', 'page_id', 'uid'],
  columns: [given('pid', 'project id'), given('page_id', 'document id'), given('uid', 'user id')],
  streams: ['pages'],
  deletedBy: 'parent',
  parent: { tables: ['pages'], on: ['page_id'] },
  list: { field: 'watchers', ofUsers: true },
}
