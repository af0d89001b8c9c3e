import Type from 'typebox'
import { enumeration, flag, id, text, timestamp } from '../fields.ts'
import { resource } from '../resource.ts'

/** A webhook of a project, or a personal one. */
export const Webhook = resource('Webhook', ['wid'], {
  wid: id('webhook id'),
  pid: id('project id; empty for a personal webhook'),
  uid: id('id of the user who set the webhook'),
  name: text('webhook name'),
  web_hook_url: text('target URL'),
  created_at: timestamp('creation time'),
  updated_at: timestamp('update time'),
  actions: Type.Array(Type.String(), { description: 'event kinds of a project webhook' }),
  is_every: flag('whether it is sent every event'),
  type: enumeration('kind', { 0: 'project webhook', 1: 'personal webhook' }),
})
