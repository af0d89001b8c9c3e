import type { Page, Received } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, idColumn, type Table } from '../convert/table.ts'
import { userList, userRef } from './users.ts'

/** docs/service-api.md#page. */
export const pages: Table = {
  name: 'pages',
  comment: 'Documents',
  key: ['pid', 'page_id'],
  columns: [
    idColumn('pid', 'project id'),
    idColumn('page_id', 'document id'),
    idColumn('parent_id', 'parent document id; null at the top level'),
    column('name', 'text', 'document name'),
    column('summary', 'text', 'document content'),
    column('content', 'text', 'content in markdown'),
    column('created_at', 'timestamptz', 'creation time'),
    column('updated_at', 'timestamptz', 'update time'),
    idColumn('owner_uid', 'user id of the creator'),
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
  columns: [idColumn('pid', 'project id'), idColumn('page_id', 'document id'), idColumn('uid', 'user id')],
  streams: ['pages'],
  deletedBy: 'parent',
  parent: { tables: ['pages'], on: ['page_id'] },
}

export function pageRows(rows: RowWriter, page: Received<typeof Page>): void {
  const pageId = rows.key(page.page_id, 'page_id')
  rows.row(pages, [
    rows.pid,
    pageId,
    rows.id(page.parent_id, 'parent_id'),
    rows.text(page.name, 'name'),
    rows.text(page.summary, 'summary'),
    rows.text(page.content, 'content'),
    rows.timestamp(page.created_at, 'created_at'),
    rows.timestamp(page.updated_at, 'updated_at'),
    userRef(rows, page.owner, 'owner'),
    rows.extra(rows.withOtherPid(page.extra, page.pid)),
  ])
  userList(rows, pageWatchers, page.watchers, 'watchers', [rows.pid, pageId])
}
