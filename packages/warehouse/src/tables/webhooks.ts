import type { Received, Webhook } from '@collab-etl/contract'
import type { RowWriter } from '../convert/row-writer.ts'
import { column, enumColumn, idColumn, type Table } from '../convert/table.ts'

/** docs/service-api.md#webhook. */
export const webhooks: Table = {
  name: 'webhooks',
  comment: 'Webhooks of projects and personal ones',
  key: ['wid'],
  columns: [
    idColumn('wid', 'webhook id'),
    idColumn('pid', 'project id; null for a personal webhook'),
    idColumn('uid', 'id of the user who set the webhook'),
    column('name', 'text', 'webhook name'),
    column('url', 'text', 'target URL'),
    column('actions', 'text[]', 'event kinds of a project webhook'),
    column('is_every', 'boolean', 'whether it is sent every event'),
    enumColumn('type', 'kind', { 0: 'project webhook', 1: 'personal webhook' }),
    column('created_at', 'timestamptz', 'creation time'),
    column('updated_at', 'timestamptz', 'update time'),
  ],
  streams: ['webhooks'],
  deletedBy: 'absence',
  isRecord: true,
}

/** Whatever project a webhook names, it is that of the list it was read from; a personal one has none. */
export function webhookRows(rows: RowWriter, webhook: Received<typeof Webhook>): void {
  rows.row(webhooks, [
    rows.key(webhook.wid, 'wid'),
    rows.scopePid,
    rows.id(webhook.uid, 'uid'),
    rows.text(webhook.name, 'name'),
    rows.text(webhook.web_hook_url, 'web_hook_url'),
    rows.texts(webhook.actions, 'actions'),
    rows.flag(webhook.is_every, 'is_every'),
    rows.smallint(webhook.type, 'type'),
    rows.timestamp(webhook.created_at, 'created_at'),
    rows.timestamp(webhook.updated_at, 'updated_at'),
    rows.extra(rows.withOtherPid(webhook.extra, webhook.pid)),
  ])
}
