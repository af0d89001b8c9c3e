import type { OperationId } from '@collab-etl/contract'
import { fileHandlers, pageHandlers, postHandlers } from './content.ts'
import type { Handlers } from './handler.ts'
import { eventHandlers, projectHandlers, webhookHandlers } from './projects.ts'
import { taskChangeHandlers } from './task-changes.ts'
import { taskHandlers } from './tasks.ts'

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
