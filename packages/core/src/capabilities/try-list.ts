import type { OptionalOperation } from '@collab-etl/contract'
import type { Client } from '../client.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { listOf } from '../walk/list-of.ts'

/** A method for an operation that sends a list. */
interface ListMethod<P, R> {
  batches(params: P, options: CallOptions): AsyncIterable<RecordBatch<R>>
}

/**
 * Tries out an operation that sends a list, unless that was done before; returns whether it is offered. `null` in place of the list is no list.
 * @throws as `Capabilities.tryOut`
 */
export async function tryList<P, R>(
  { capabilities }: Client,
  id: OptionalOperation,
  list: ListMethod<P, R>,
  params: P,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return await capabilities.tryOut(id, (options) => listOf(list.batches(params, { ...options, signal })))
}

/** Tries out the comments of tasks with one task. */
export function tryTaskComments(
  client: Client,
  task: { readonly pid: string; readonly tid: string },
  signal: AbortSignal | undefined,
): Promise<boolean> {
  return tryList(client, 'tasks.comments.list', client.tasks.comments.list, task, signal)
}
