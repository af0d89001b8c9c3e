import type { OperationId } from '@collab-etl/contract'
import { eventHandlers } from './events.ts'
import { fileHandlers } from './files.ts'
import type { Handlers } from './handler.ts'
import { pageHandlers } from './pages.ts'
import { postHandlers } from './posts.ts'
import { projectHandlers } from './projects.ts'
import { taskChangeHandlers } from './task-changes.ts'
import { taskHandlers } from './tasks.ts'
import { webhookHandlers } from './webhooks.ts'

/** A handler for each of the 23 operations; a missing one is a compile error. */
export const HANDLERS: Handlers<OperationId> = {
  ...taskHandlers,
  ...taskChangeHandlers,
  ...postHandlers,
  ...fileHandlers,
  ...pageHandlers,
  ...projectHandlers,
  ...eventHandlers,
  ...webhookHandlers,
}
