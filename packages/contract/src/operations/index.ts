import { fileOperations, pageOperations, postOperations } from './content.ts'
import { eventOperations, projectOperations, webhookOperations } from './projects.ts'
import { taskOperations } from './tasks.ts'

/** The service's 23 operations (docs/service-api.md#operations). */
export const OPERATIONS = [
  ...taskOperations,
  ...postOperations,
  ...fileOperations,
  ...pageOperations,
  ...projectOperations,
  ...eventOperations,
  ...webhookOperations,
] as const

/** Any of the 23 operations, with its literal types. */
export type KnownOperation = (typeof OPERATIONS)[number]

/** The dotted id of an operation. */
export type OperationId = KnownOperation['id']

/** The operation of an id. */
export type OperationById<Id extends OperationId> = Extract<KnownOperation, { id: Id }>
