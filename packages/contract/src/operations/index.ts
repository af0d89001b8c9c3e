import type { Operation } from '../operation.ts'
import { fileOperations, pageOperations, postOperations } from './content.ts'
import { OBSERVED_OPERATIONS, type OBSERVED_READINGS, type Offer } from './observed.ts'
import { eventOperations, projectOperations, webhookOperations } from './projects.ts'
import { taskOperations } from './tasks.ts'

/** The service's 23 operations (docs/dev/service-api.md#operations). */
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

/** The dotted id of one of the 23 operations. */
export type OperationId = KnownOperation['id']

/** An operation that the service does not document (docs/dev/service-api.md#observed-operations). */
export interface ObservedOperation extends Operation {
  readonly offer: Offer
  /** Number of independent public clients of the service that call it, of eleven. */
  readonly clients: number
}

/** A reading operation that the service does not document. */
export type OptionalOperation = (typeof OBSERVED_READINGS)[number]['id']

/** Whether such operations are offered, by their ids. */
export type Offered = Readonly<Partial<Record<OptionalOperation, boolean>>>

/** Documented and observed operations. */
export const ALL_OPERATIONS = [...OPERATIONS, ...OBSERVED_OPERATIONS] as const

export type AnyOperation = (typeof ALL_OPERATIONS)[number]

export type AnyOperationId = AnyOperation['id']

/** The operation of an id. */
export type OperationById<Id extends AnyOperationId> = Extract<AnyOperation, { id: Id }>

const observedIds: ReadonlySet<string> = new Set(OBSERVED_OPERATIONS.map(({ id }) => id))

/** Whether an operation, by its id, is one that the service does not document. */
export function isObserved(id: string): boolean {
  return observedIds.has(id)
}
