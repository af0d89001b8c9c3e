import { Webhook } from '@collab-etl/contract'
import { columnsOf, project } from './columns.ts'
import type { Table } from './table.ts'

const of = columnsOf(Webhook)

/** docs/dev/service-api.md#webhook. */
export const webhooks: Table = {
  name: 'webhooks',
  comment: 'Webhooks of projects and personal ones',
  key: ['wid'],
  columns: [
    of.key('wid'),
    // not the project that it names, but that of the list it was read from
    { ...project, comment: 'project id; null for a personal webhook', read: ({ scopePid }) => scopePid },
    of.id('uid'),
    of.text('name'),
    of.text('url', 'web_hook_url'),
    of.texts('actions'),
    of.flag('is_every'),
    of.enumeration('type'),
    of.time('created_at'),
    of.time('updated_at'),
  ],
  streams: ['webhooks'],
  deletedBy: 'absence',
  isRecord: true,
  indexes: [{ name: 'webhooks_pid', columns: ['pid'] }],
}
