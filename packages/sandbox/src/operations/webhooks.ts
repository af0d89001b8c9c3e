import type { Frozen, WebhookRecord } from '../store/state.ts'
import type { Store } from '../store/store.ts'
import { type Handlers, successOf } from './handler.ts'

/** These operations have no error codes: an unreadable project has no webhooks, and deleting a missing one answers `false`. */
export const webhookHandlers: Handlers<'webhooks.delete' | 'webhooks.list'> = {
  'webhooks.list': ({ store }, { pid }) => {
    if (pid === undefined) return store.personalWebhooks
    const project = store.find(pid)
    return project && store.allows(project, 'read') ? project.webhooks : []
  },

  'webhooks.delete': (context, { pid, wid }) => successOf(context, remove(context.store, pid, wid)),
}

function remove(store: Store, pid: string | undefined, wid: string): boolean {
  const removeFrom = (webhooks: WebhookRecord[]): boolean => {
    const index = webhooks.findIndex((webhook: Frozen<WebhookRecord>) => webhook.wid === wid)
    return index >= 0 && webhooks.splice(index, 1).length > 0
  }
  if (pid === undefined) return store.changePersonalWebhooks(removeFrom)
  const project = store.find(pid)
  if (!project || !store.allows(project, 'change')) return false
  return store.change(pid, ({ webhooks }) => removeFrom(webhooks))
}
