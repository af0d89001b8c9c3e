import type { ArrayOperation } from '@collab-etl/contract'
import type { RecordLoss, StoredBytes } from '@collab-etl/contract/streams'
import { isApiError, isAuthError } from '../errors/api-error.ts'
import { CollabError } from '../errors/collab-error.ts'
import { DecodeError, isDecodeError } from '../errors/decode-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { errorOfBody } from '../http/answer.ts'
import { decodeArray } from '../http/array-decoder.ts'
import { tooDeep as tooDeepError } from '../http/element-scanner.ts'
import { parseRun, type Run } from '../http/json-run.ts'
import type { Piece } from '../http/service.ts'
import type { ElementLookup } from '../http/stored-elements.ts'
import type { AnswerHead } from '../http/transport.ts'
import { type Reader, readerOf } from '../read/reader.ts'
import { type AnyRecord, fieldLoss } from '../read/record.ts'
import { noteReceived, Unchanged } from '../read/unchanged.ts'
import { AskedProject, keyOf, OtherProjectError, type Verdict } from './asked-project.ts'
import { type AnyParams, callOf, type MethodContext } from './build-request.ts'
import type { CallOptions, RecordBatch } from './results.ts'

/** Projects may share all of their webhooks: the warehouse stores each under the project that it names. */
const WEBHOOKS = 'webhooks.list'

/** An answer of `null` in place of a list, which is then read as empty. */
export const NULL_LIST: RecordLoss = { recordKey: '', field: '', kind: 'null_list', original: 'null' }

/** The first `null` in place of a list: a gateway may have sent it once, so the list is requested again. */
class NullListError extends CollabError {
  override readonly name = 'NullListError'
  readonly errorCode = 'WRONG_TYPE'

  constructor() {
    super('null in place of a list')
  }
}

/** A record, or the placeholder of one that was not parsed. */
type ReadRecord = AnyRecord | Unchanged<AnyRecord>
type AnyBatch = RecordBatch<ReadRecord>
type ReadOptions = CallOptions & { readonly stored?: StoredBytes | undefined }
type Content = Omit<AnyBatch, 'restart'>

/** The method of an operation that answers with an array; see `ArrayMethod`. */
export function arrayMethod(operation: ArrayOperation, context: MethodContext) {
  const { item } = operation.success
  const { key } = item
  const reader = readerOf(item)
  const { redact, isRateLimit } = context.service
  const verdicts = new Map<string, Verdict>()
  /** Whether an earlier answer was `null` in place of a list. */
  let answersNull = false

  const parseOne = (bytes: Buffer): AnyRecord => {
    const { values } = parseRun(Buffer.concat([OPENING, bytes, CLOSING]), PARSED_ALONE)
    return reader.read(values[0], [])
  }
  const lookupIn = (stored: StoredBytes): ElementLookup => ({
    stored,
    placeholder: (number, bytes, at) => new Unchanged(operation.id, stored, number, { bytes, at, parse: parseOne }),
  })

  const readOf = (asked: AskedProject, options: ReadOptions | undefined) =>
    async function* (chunks: AsyncIterable<Buffer>, head: AnswerHead): AsyncGenerator<Content> {
      const { status } = head
      options?.onTotal?.(totalOf(head))
      asked.begin()
      const unreadable: Unreadable = { first: undefined, isNamed: false }
      let read = 0
      let isNull = false
      const explain = (other: unknown) => {
        isNull = other === null
        return errorOfBody(other, { operation, status, redact, isRateLimit })
      }
      try {
        const lookup = options?.stored && lookupIn(options.stored)
        for await (const run of decodeArray(chunks, explain, lookup)) {
          const content = readRun(run, reader, unreadable)
          noteAll(operation.id, run, content.records, asked)
          for (const record of content.records) {
            if (record instanceof Unchanged) asked.seeOwn()
            else asked.see(record)
          }
          read += content.records.length
          yield content
        }
      } catch (error) {
        if (!isNull || !isDecodeError(error, 'wrong_type')) throw error
        if (!answersNull) throw new NullListError()
        yield { records: [], losses: [NULL_LIST] }
      }
      // If no element has any part of a key, the answer is not the requested list.
      if (read === 0 && unreadable.first !== undefined && !unreadable.isNamed) throw unreadable.first
      asked.end()
      // An attempt without records must still be able to discard the records of an earlier one.
      yield { records: [], losses: [] }
    }

  const call = (asked: AskedProject, params?: AnyParams, options?: ReadOptions) =>
    batchesOf(callOf(operation, context, params, options, { read: readOf(asked, options) }))

  /** Reads the same list of another project, to check whether an answer was meant for that project. */
  const isMeantFor = async (other: string, asked: AskedProject, params?: AnyParams, options?: ReadOptions) => {
    const own = new Set<string>()
    try {
      // its length is not that of the caller's list
      const { onTotal: _, stored: __, ...rest } = options ?? {}
      for await (const { records, restart } of call(new AskedProject(key), { ...params, pid: other }, rest)) {
        if (restart) own.clear()
        for (const record of records) own.add(keyOf(record as AnyRecord, key)) // nothing is stored of it
      }
    } catch (error) {
      if (isAuthError(error) || isTransportError(error, 'aborted')) throw error
      // The answer cannot be the list of a project that the service refuses to list. After any other error it may be.
      return !(isApiError(error) && !error.rateLimited && error.status >= 400 && error.status < 500)
    }
    return !asked.isPartOf(own)
  }

  const batches = (params?: AnyParams, options?: ReadOptions): AsyncIterable<AnyBatch> => {
    const asked = new AskedProject(key, operation.id === WEBHOOKS ? {} : params, verdicts)
    return judged(call(asked, params, options), asked, params, options)
  }

  /** The batches of a call, or of a second one if the first answer was in doubt. */
  async function* judged(
    first: AsyncIterable<AnyBatch>,
    asked: AskedProject,
    params?: AnyParams,
    options?: ReadOptions,
  ): AsyncGenerator<AnyBatch> {
    let isEmitted = false
    let isDiscarded = false
    for (let batches = first; ; batches = call(asked, params, options)) {
      try {
        for await (const batch of batches) {
          yield { ...batch, restart: batch.restart || isDiscarded }
          isEmitted = true
          isDiscarded = false
        }
        return
      } catch (error) {
        if (error instanceof NullListError) answersNull = true
        else if (error instanceof OtherProjectError) asked.judge(await isMeantFor(error.pid, asked, params, options))
        else throw error
        isDiscarded = isEmitted
      }
    }
  }

  const collect = async (params?: AnyParams, options?: CallOptions): Promise<ReadRecord[]> => {
    let records: ReadRecord[] = []
    for await (const batch of batches(params, options)) {
      if (batch.restart) records = []
      for (const record of batch.records) records.push(record)
    }
    return records
  }
  const batchesBeside = (stored: StoredBytes | null, params?: AnyParams, options?: CallOptions) =>
    batches(params, { ...options, stored: stored ?? undefined })
  return Object.assign(collect, { batches, batchesBeside })
}

const OPENING = Buffer.from('[')
const CLOSING = Buffer.from(']')
/** Any number is read exactly. */
const PARSED_ALONE = { firstElement: 0, offset: 0, hasLongNumber: true }

/** Notes in which bytes the records of a run were received, of those that are certain to be of the project. */
function noteAll(operation: string, run: Run, records: readonly ReadRecord[], asked: AskedProject): void {
  // where an element is no record, the records are not in the places of their elements
  const { elements, bytes } = run
  if (elements === undefined || bytes === undefined || records.length !== elements.length) return
  for (let index = 0; index < records.length; index++) {
    const [record, at] = [records[index], elements[index]]
    if (at === undefined || record === undefined || record instanceof Unchanged || !asked.isOwn(record)) continue
    noteReceived(operation, record, bytes, at)
  }
}

/** `null` if the text is not a whole number. */
function totalOf(head: AnswerHead): number | null {
  const text = head.header('x-total-count')?.trim() ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

async function* batchesOf(pieces: AsyncIterable<Piece<Content>>): AsyncGenerator<AnyBatch> {
  let emitted: number | undefined
  for await (const { attempt, value } of pieces) {
    const restart = emitted !== undefined && emitted !== attempt
    if (value.records.length === 0 && value.losses.length === 0 && !restart) continue
    emitted = attempt
    yield { ...value, restart }
  }
}

/** Why the first unreadable element of an answer cannot be read, and whether any of them has a part of its key. */
interface Unreadable {
  first: DecodeError | undefined
  isNamed: boolean
}

/** An element that cannot be read is a loss; the others are kept. */
function readRun({ values, firstElement, damage, tooDeep }: Run, reader: Reader, unreadable: Unreadable): Content {
  const losses: RecordLoss[] = []
  const records: ReadRecord[] = []
  for (let index = 0; index < values.length; index++) {
    const value = values[index]
    if (value instanceof Unchanged) {
      records.push(value)
      continue
    }
    const element = firstElement + index
    try {
      if (tooDeep.has(index)) throw tooDeepError(element)
      records.push(reader.read(value, losses, { element }, damage.get(index)))
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error
      const name = reader.nameOf(value)
      unreadable.first ??= error
      unreadable.isNamed ||= name !== null
      losses.push({
        recordKey: name ?? `#${element}`,
        ...fieldLoss('', tooDeep.has(index) ? 'unreadable' : 'unkeyed', value),
      })
    }
  }
  return { records, losses }
}
