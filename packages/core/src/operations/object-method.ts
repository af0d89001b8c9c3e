import type { ObjectOperation } from '@collab-etl/contract'
import type { ConversionIssue } from '@collab-etl/contract/streams'
import { isApiError, isAuthError } from '../errors/api-error.ts'
import type { CollabError } from '../errors/collab-error.ts'
import { isDecodeError } from '../errors/decode-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { errorOfBody } from '../http/answer.ts'
import { newStats, type RequestStats } from '../http/events.ts'
import type { AnswerHead } from '../http/transport.ts'
import { decodeValue } from '../json/value-decoder.ts'
import { readerOf } from '../read/reader.ts'
import type { AnyRecord } from '../read/record.ts'
import { AskedProject } from './asked-project.ts'
import { type AnyParams, callOf, type MethodContext } from './build-request.ts'
import type { CallOptions, Deletion, ObjectAnswer } from './results.ts'

/** The method of an operation that answers with one object; see `ObjectMethod`. */
export function objectMethod(operation: ObjectOperation, context: MethodContext) {
  const read = async (params?: AnyParams, options?: CallOptions): Promise<ObjectAnswer<AnyRecord>> => {
    const own = newStats()
    const answer = await readObject(operation, context, params, options, { own })
    return { ...answer, requests: own.requests, bytes: own.bytes }
  }
  return Object.assign(async (params?: AnyParams, options?: CallOptions) => (await read(params, options)).record, {
    read,
  })
}

interface Watcher {
  /** Counts the call's requests. */
  readonly own: RequestStats
  readonly onRetry?: (error: CollabError) => void
}

/** Reads the object that an operation answers with. */
async function readObject(
  operation: ObjectOperation,
  context: MethodContext,
  params: AnyParams | undefined,
  options: CallOptions | undefined,
  { own, onRetry }: Watcher,
): Promise<{ record: AnyRecord; losses: ConversionIssue[] }> {
  const { redact, isRateLimit } = context.service
  const reader = readerOf(operation.success.schema)
  // Posts and files are identified by their own ids: a link need not name their project.
  const isProject = operation.success.schema.key.includes('pid')
  const read = async function* (chunks: AsyncIterable<Buffer>, { status }: AnswerHead) {
    const { value, damage } = await decodeValue(chunks)
    const error = errorOfBody(value, { operation, status, redact, isRateLimit })
    if (error !== undefined) throw error
    const losses: ConversionIssue[] = []
    const record = reader.read(value, losses, {}, damage)
    if (isProject) {
      const asked = new AskedProject(operation.success.schema.key, params)
      // the detail names its own project
      asked.judge(true)
      asked.see(record)
      asked.end()
    }
    yield { record, losses }
  }
  const pieces = callOf(operation, context, params, options, { read, onRetry, stats: [own] })
  let answer: { record: AnyRecord; losses: ConversionIssue[] } | undefined
  for await (const { value } of pieces) answer = value
  if (answer === undefined) throw new TypeError(`${operation.id}: a call ended without an answer`)
  return answer
}

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
  const answerOf = (record: Deletion, losses: readonly ConversionIssue[]) => {
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
  if (!isTransportError(error) || !error.sent || error.rateLimited) return false
  // refused, even if the rest of the answer was lost
  return error.status === undefined || error.status < 400 || error.status >= 500
}

/** What the service's refusal means after an answer was lost. */
function noteOn(error: unknown, operation: ObjectOperation): Deletion['note'] {
  if (!isApiError(error)) return undefined
  const { code, status: sent } = error
  const status = operation.errors.find((row) => row.code === code)?.status ?? sent
  if (isAuthError(error)) return undefined
  if (status === 404) return sent === 404 ? 'already_gone_after_retry' : undefined
  return status === 500 ? 'failed_after_lost_answer' : undefined
}
