import { type ArrayOperation, type ObjectOperation, OPERATIONS, type Operation } from '@collab-etl/contract'
import { arrayMethod } from './array-method.ts'
import type { MethodContext } from './calls.ts'
import { deletionMethod } from './deletion-method.ts'
import type { Methods } from './methods.ts'
import { objectMethod } from './object-method.ts'

/** Makes the methods of all operations, nested by their dotted ids. */
export function makeMethods(context: MethodContext): Methods {
  // The tree is built from the ids and operations from which the type is computed.
  return branch(OPERATIONS, 0, context) as unknown as Methods
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
