import Type from 'typebox'
import { operation } from '../operation.ts'
import { Success } from '../resources/success.ts'
import { Webhook } from '../resources/webhook.ts'
import { optional, path, query } from './params.ts'

const pid = optional(query(Type.String({ description: "project id; without it, the caller's personal webhooks" })))

export const webhookOperations = [
  operation({
    id: 'webhooks.delete',
    number: 21,
    method: 'DELETE',
    path: '/v1/webhooks/:wid',
    summary: 'Deletes a webhook',
    params: { wid: path('webhook id'), pid },
    success: { kind: 'object', schema: Success },
    errors: [],
  }),
  operation({
    id: 'webhooks.list',
    number: 22,
    method: 'GET',
    path: '/v1/webhooks',
    summary: 'Webhooks of a project, or personal ones',
    params: { pid },
    success: { kind: 'array', item: Webhook },
    errors: [],
  }),
] as const
