import { fileHandlers, pageHandlers, postHandlers } from './content.ts'
import { entryHandlers } from './entries.ts'
import type { Handlers } from './handler.ts'
import { memberHandlers, profileHandlers, teamHandlers } from './people.ts'
import { eventHandlers, projectHandlers, webhookHandlers } from './projects.ts'
import type { ServedId } from './served.ts'
import { taskChangeHandlers } from './task-changes.ts'
import { taskPlaceHandlers, taskReadingHandlers, taskUpdateHandlers, todoHandlers } from './task-updates.ts'
import { taskHandlers } from './tasks.ts'

/** A handler for each operation; a missing one is a compile error. */
export const HANDLERS: Handlers<ServedId> = {
  ...taskHandlers,
  ...taskChangeHandlers,
  ...taskReadingHandlers,
  ...taskUpdateHandlers,
  ...todoHandlers,
  ...taskPlaceHandlers,
  ...entryHandlers,
  ...profileHandlers,
  ...teamHandlers,
  ...memberHandlers,
  ...postHandlers,
  ...fileHandlers,
  ...pageHandlers,
  ...projectHandlers,
  ...eventHandlers,
  ...webhookHandlers,
}
