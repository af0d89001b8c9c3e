import {
  ALL_OPERATIONS,
  type AnyOperationId,
  type ArrayOperation,
  type ObjectOperation,
  type Operation,
  type OperationById,
  type OperationParams,
  type OperationRecord,
} from '@collab-etl/contract'
import type { KnownRecords } from '@collab-etl/contract/streams'
import type { Unchanged } from '../read/unchanged.ts'
import { arrayMethod } from './array-method.ts'
import type { MethodContext } from './build-request.ts'
import { deletionMethod, objectMethod } from './object-method.ts'
import type { CallOptions, Deletion, ObjectAnswer, RecordBatch } from './results.ts'

/** Makes the methods of all operations, nested by their dotted ids. */
export function makeMethods(context: MethodContext): Methods {
  // The tree is built from the ids and operations from which the type is computed.
  return branch(ALL_OPERATIONS, 0, context) as unknown as Methods
}

function branch(operations: readonly Operation[], depth: number, context: MethodContext): Record<string, unknown> {
  const byName = Map.groupBy(operations, ({ id }) => id.split('.')[depth] ?? '')
  return Object.fromEntries([...byName].map(([name, group]) => [name, node(group, depth + 1, context)]))
}

function node(group: readonly Operation[], depth: number, context: MethodContext): unknown {
  const leaf = group.find(({ id }) => id.split('.').length === depth)
  return leaf === undefined ? branch(group, depth, context) : methodOf(leaf, context)
}

function methodOf(operation: Operation, context: MethodContext): unknown {
  if (isArrayOperation(operation)) return arrayMethod(operation, context)
  if (!isObjectOperation(operation)) throw new TypeError(`${operation.id} answers with neither an array nor an object`)
  return operation.method === 'DELETE' ? deletionMethod(operation, context) : objectMethod(operation, context)
}

function isArrayOperation(operation: Operation): operation is ArrayOperation {
  return operation.success.kind === 'array'
}

function isObjectOperation(operation: Operation): operation is ObjectOperation {
  return operation.success.kind === 'object'
}

/** Arguments of a method: the parameters may be left out if none is required. */
export type MethodArguments<O extends Operation> =
  Record<never, never> extends OperationParams<O>
    ? [params?: OperationParams<O>, options?: CallOptions]
    : [params: OperationParams<O>, options?: CallOptions]

/** A method whose operation answers with an array. */
export interface ArrayMethod<O extends Operation> {
  /** All records. A broken answer is never returned as a shorter list: it is retried, then thrown. */
  (...args: MethodArguments<O>): Promise<OperationRecord<O>[]>
  /**
   * The records as they arrive. No request is sent before the first batch is requested, no more is read than is requested,
   * and leaving the loop aborts the request. The request occupies its slot until its answer has been read to the end, so a
   * loop body that makes requests itself needs a higher `concurrency`.
   */
  batches(...args: MethodArguments<O>): AsyncIterable<RecordBatch<OperationRecord<O>>>
  /** Like `batches`, but does not parse records that `stored` recognises by their bytes. */
  batchesBeside(
    stored: KnownRecords | null,
    ...args: MethodArguments<O>
  ): AsyncIterable<RecordBatch<OperationRecord<O> | Unchanged<OperationRecord<O>>>>
}

/** A method whose operation answers with one object. */
export interface ObjectMethod<O extends Operation> {
  (...args: MethodArguments<O>): Promise<OperationRecord<O>>
  /** The same with losses and counts. */
  read(...args: MethodArguments<O>): Promise<ObjectAnswer<OperationRecord<O>>>
}

export interface DeletionMethod<O extends Operation> {
  (...args: MethodArguments<O>): Promise<Deletion>
  /** The same with losses and counts. */
  read(...args: MethodArguments<O>): Promise<ObjectAnswer<Deletion>>
}

export type Method<O extends Operation> = O extends { readonly method: 'DELETE' }
  ? DeletionMethod<O>
  : O extends ArrayOperation
    ? ArrayMethod<O>
    : ObjectMethod<O>

type NextName<Prefix extends string> = {
  [Id in AnyOperationId]: Id extends `${Prefix}${infer Rest}`
    ? Rest extends `${infer Name}.${string}`
      ? Name
      : Rest
    : never
}[AnyOperationId]

/** All methods, nested by the dotted ids of their operations: `tasks.archived.list` is `methods.tasks.archived.list`. */
export type Methods<Prefix extends string = ''> = {
  readonly [Name in NextName<Prefix>]: `${Prefix}${Name}` extends infer Id extends AnyOperationId
    ? Method<OperationById<Id>>
    : Methods<`${Prefix}${Name}.`>
}
