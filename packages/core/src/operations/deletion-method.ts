import type { ObjectOperation } from '@collab-etl/contract'
import type { RecordLoss } from '@collab-etl/contract/streams'
import { isApiError, isAuthError } from '../errors/api-error.ts'
import type { CollabError } from '../errors/collab-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { newStats } from '../http/stats.ts'
import type { AnyParams } from './build-request.ts'
import type { MethodContext } from './calls.ts'
import { readObject } from './object-method.ts'
import type { CallOptions, Deletion, ObjectAnswer } from './results.ts'

/** The method of an operation that deletes; see `DeletionMethod`. */
export function deletionMethod(operation: ObjectOperation, context: MethodContext) {
  const read = (params?: AnyParams, options?: CallOptions) => readDeletion(operation, context, params, options)
  return Object.assign(async (params?: AnyParams, options?: CallOptions) => (await read(params, options)).record, {
    read,
  })
}

async function readDeletion(
  operation: ObjectOperation,
  context: MethodContext,
  params: AnyParams | undefined,
  options: CallOptions | undefined,
): Promise<ObjectAnswer<Deletion>> {
  const own = newStats()
  let lostAnAnswer = false
  const onRetry = (error: CollabError) => {
    lostAnAnswer ||= mayHaveDeleted(error)
  }
  const answerOf = (record: Deletion, losses: readonly RecordLoss[]) => {
    return { record, losses, requests: own.requests, bytes: own.bytes }
  }
  try {
    const { record, losses } = await readObject(operation, context, params, options, { own, onRetry })
    return answerOf(deletionOf(record['success']), losses)
  } catch (error) {
    const note = lostAnAnswer ? noteOn(error, operation) : undefined
    if (note === undefined) throw error
    return answerOf({ success: note === 'already_gone_after_retry', note }, [])
  }
}

function deletionOf(success: unknown): Deletion {
  return typeof success === 'boolean' ? { success } : { success: false, note: 'unclear_answer' }
}

/** The request may have been executed, although its answer never arrived. */
function mayHaveDeleted(error: CollabError): boolean {
  if (isDecodeError(error)) return true
  return isTransportError(error) && error.sent && !error.rateLimited
}

/** What the service's refusal means after an answer was lost. */
function noteOn(error: unknown, operation: ObjectOperation): Deletion['note'] {
  if (!isApiError(error)) return undefined
  const status = operation.errors.find(({ code }) => code === error.code)?.status ?? error.status
  if (isAuthError(error)) return undefined
  if (status === 404) return 'already_gone_after_retry'
  return status === 500 ? 'failed_after_lost_answer' : undefined
}
