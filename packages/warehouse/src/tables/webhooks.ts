import type { Received, Webhook } from '@collab-etl/contract'
import type { Table } from '../convert/table.ts'
import { columnsOf, project } from './columns.ts'

const of = columnsOf<Received<typeof Webhook>>()

/** docs/service-api.md#webhook. */
export const webhooks: Table = {
  name: 'webhooks',
  comment: 'Webhooks of projects and personal ones',
  key: ['wid'],
  columns: [
    of.key('wid', 'webhook id'),
    // not the project that it names, but that of the list it was read from
    { ...project, comment: 'project id; null for a personal webhook', read: ({ scopePid }) => scopePid },
    of.id('uid', 'id of the user who set the webhook'),
    of.text('name', 'webhook name'),
    of.text('url', 'target URL', 'web_hook_url'),
    of.texts('actions', 'event kinds of a project webhook'),
    of.flag('is_every', 'whether it is sent every event'),
    of.enumeration('type', 'kind', { 0: 'project webhook', 1: 'personal webhook' }),
    of.time('created_at', 'creation time'),
    of.time('updated_at', 'update time'),
  ],
  streams: ['webhooks'],
  deletedBy: 'absence',
  isRecord: true,
  indexes: [{ name: 'webhooks_pid', columns: ['pid'] }],
}
