import { DecodeError } from '../errors/decode-error.ts'
import { NULL_LIST } from '../operations/array-method.ts'
import type { RecordBatch } from '../operations/results.ts'
import { collect } from './collect.ts'

/** Reads a list; `null` in its place is the answer of a service that does not know the operation. */
export async function listOf<R>(batches: AsyncIterable<RecordBatch<R>>): Promise<readonly R[]> {
  const { records, losses } = await collect(batches)
  if (losses.some(({ kind }) => kind === NULL_LIST.kind)) {
    throw new DecodeError({ problem: 'wrong_type', what: 'null in place of a list' })
  }
  return records
}
