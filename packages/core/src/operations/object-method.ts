import type { ObjectOperation } from '@collab-etl/contract'
import type { RecordLoss } from '@collab-etl/contract/streams'
import type { CollabError } from '../errors/collab-error.ts'
import { errorOfBody } from '../http/error-body.ts'
import { newStats, type RequestStats } from '../http/stats.ts'
import type { AnswerHead } from '../http/transport.ts'
import { decodeValue } from '../http/value-decoder.ts'
import { readerOf } from '../read/reader.ts'
import type { AnyRecord } from '../read/record.ts'
import { AskedProject } from './asked-project.ts'
import type { AnyParams } from './build-request.ts'
import { callOf, type MethodContext } from './calls.ts'
import type { CallOptions, ObjectAnswer } from './results.ts'

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

/** Observers of a call. */
interface Watcher {
  /** Counts the call's requests. */
  readonly own: RequestStats
  /** Called for every failure that is retried. */
  readonly onRetry?: (error: CollabError) => void
}

/** Reads the object that an operation answers with. */
export async function readObject(
  operation: ObjectOperation,
  context: MethodContext,
  params: AnyParams | undefined,
  options: CallOptions | undefined,
  { own, onRetry }: Watcher,
): Promise<{ record: AnyRecord; losses: RecordLoss[] }> {
  const { redact, isRateLimit } = context.service
  const reader = readerOf(operation.success.schema)
  // Posts and files are identified by their own ids: a link need not name their project.
  const isProject = operation.success.schema.key.includes('pid')
  const read = async function* (chunks: AsyncIterable<Buffer>, { status }: AnswerHead) {
    const { value, damage } = await decodeValue(chunks)
    const error = errorOfBody(value, { operation, status, redact, isRateLimit })
    if (error !== undefined) throw error
    const losses: RecordLoss[] = []
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
  let answer: { record: AnyRecord; losses: RecordLoss[] } | undefined
  for await (const { value } of pieces) answer = value
  if (answer === undefined) throw new TypeError(`${operation.id}: a call ended without an answer`)
  return answer
}
