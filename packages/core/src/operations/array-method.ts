import type { ArrayOperation } from '@collab-etl/contract'
import type { ConversionIssue, KnownRecords } from '@collab-etl/contract/streams'
import { isApiError, isAuthError } from '../errors/api-error.ts'
import { CollabError } from '../errors/collab-error.ts'
import { DecodeError, isDecodeError } from '../errors/decode-error.ts'
import { isTransportError } from '../errors/transport-error.ts'
import { errorOfBody } from '../http/answer.ts'
import type { Piece } from '../http/service.ts'
import type { AnswerHead } from '../http/transport.ts'
import { decodeArray } from '../json/array-decoder.ts'
import { tooDeep as tooDeepError } from '../json/element-scanner.ts'
import { parseRun, type Run } from '../json/json-run.ts'
import type { ElementLookup } from '../json/stored-elements.ts'
import { type Reader, readerOf } from '../read/reader.ts'
import { type AnyRecord, fieldIssue } from '../read/record.ts'
import { noteReceived, Unchanged } from '../read/unchanged.ts'
import { AskedProject, keyOf, OtherProjectError, type Verdict } from './asked-project.ts'
import { type AnyParams, callOf, type MethodContext } from './build-request.ts'
import type { CallOptions, RecordBatch } from './results.ts'

/** Projects may share all of their webhooks: the warehouse stores each under the project that it names. */
const WEBHOOKS = 'webhooks.list'

/** An answer of `null` in place of a list, which is then read as empty. */
export const NULL_LIST: ConversionIssue = { recordKey: '', field: '', kind: 'null_list', original: 'null' }

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
type Content = Omit<AnyBatch, 'restart'>

/** An operation that answers with an array, and what its answers have shown. */
interface ListOperation {
  readonly operation: ArrayOperation
  readonly context: MethodContext
  readonly reader: Reader
  readonly verdicts: Map<string, Verdict>
  /** Whether an earlier answer was `null` in place of a list. */
  answersNull: boolean
}

/** A call for a list, with as many requests as it takes until an answer is certain to be that list. */
interface ListCall {
  readonly list: ListOperation
  readonly asked: AskedProject
  readonly params: AnyParams | undefined
  readonly options: CallOptions | undefined
  /** Recognises records that need not be parsed. */
  readonly stored?: KnownRecords | null | undefined
}

/** The method of an operation that answers with an array; see `ArrayMethod`. */
export function arrayMethod(operation: ArrayOperation, context: MethodContext) {
  const { item } = operation.success
  const list = { operation, context, reader: readerOf(item), verdicts: new Map<string, Verdict>(), answersNull: false }
  const batches = (params?: AnyParams, options?: CallOptions, stored?: KnownRecords | null) => {
    const asked = new AskedProject(item.key, operation.id === WEBHOOKS ? {} : params, list.verdicts)
    const call = { list, asked, params, options, stored }
    return batchesOf(call, ask(call))
  }
  const collect = async (params?: AnyParams, options?: CallOptions): Promise<ReadRecord[]> => {
    let records: ReadRecord[] = []
    for await (const batch of batches(params, options)) {
      if (batch.restart) records = []
      for (const record of batch.records) records.push(record)
    }
    return records
  }
  return Object.assign(collect, {
    batches: (params?: AnyParams, options?: CallOptions) => batches(params, options),
    batchesBeside: (stored: KnownRecords | null, params?: AnyParams, options?: CallOptions) =>
      batches(params, options, stored),
  })
}

/** @throws ParameterError before anything is sent */
function ask(call: ListCall): AsyncIterable<Piece<Content>> {
  const read = (chunks: AsyncIterable<Buffer>, head: AnswerHead) => decode(call, chunks, head)
  return callOf(call.list.operation, call.list.context, call.params, call.options, { read })
}

/** Yields the batches of an answer. If the answer is in doubt, the list is requested again. */
async function* batchesOf(call: ListCall, first: AsyncIterable<Piece<Content>>): AsyncGenerator<AnyBatch> {
  // identifies the answer of the last batch
  let last: string | undefined
  for (let [number, pieces] = [1, first]; ; number++, pieces = ask(call)) {
    try {
      for await (const { attempt, value } of pieces) {
        const answer = `${number} ${attempt}`
        const restart = last !== undefined && last !== answer
        if (value.records.length + value.losses.length === 0 && value.total === null && !restart) continue
        last = answer
        yield { ...value, restart }
      }
      return
    } catch (error) {
      if (error instanceof NullListError) call.list.answersNull = true
      else if (error instanceof OtherProjectError) call.asked.judge(await isMeantFor(error.pid, call))
      else throw error
    }
  }
}

/** Reads the same list of another project, to check whether the answer was meant for that project. */
async function isMeantFor(pid: string, { list, asked, params, options }: ListCall): Promise<boolean> {
  const { key } = list.operation.success.item
  const own = new Set<string>()
  const other: ListCall = { list, asked: new AskedProject(key), params: { ...params, pid }, options }
  try {
    for await (const { records, restart } of batchesOf(other, ask(other))) {
      if (restart) own.clear()
      for (const record of records) own.add(keyOf(record as AnyRecord, key)) // without known bytes, every record is parsed
    }
  } catch (error) {
    if (isAuthError(error) || isTransportError(error, 'aborted')) throw error
    // The answer cannot be the list of a project that the service refuses to list. After any other error it may be.
    return !(isApiError(error) && !error.rateLimited && error.status >= 400 && error.status < 500)
  }
  return !asked.isPartOf(own)
}

/** The content of one answer, while it arrives. */
async function* decode(call: ListCall, chunks: AsyncIterable<Buffer>, head: AnswerHead): AsyncGenerator<Content> {
  const { list, asked, stored } = call
  const { operation, context, reader } = list
  const { redact, isRateLimit } = context.service
  const total = totalOf(head)
  const unreadable: Unreadable = { first: undefined, isNamed: false }
  let read = 0
  let isNull = false
  const explain = (other: unknown) => {
    isNull = other === null
    return errorOfBody(other, { operation, status: head.status, redact, isRateLimit })
  }
  asked.begin()
  try {
    const lookup = stored ? lookupIn(stored, operation.id, reader) : undefined
    for await (const run of decodeArray(chunks, explain, lookup)) {
      const { records, losses } = readRun(run, reader, unreadable)
      noteAll(operation.id, run, records, asked)
      for (const record of records) {
        if (record instanceof Unchanged) asked.seeOwn()
        else asked.see(record)
      }
      read += records.length
      yield { records, losses, total }
    }
  } catch (error) {
    if (!isNull || !isDecodeError(error, 'wrong_type')) throw error
    if (!list.answersNull) throw new NullListError()
    yield { records: [], losses: [NULL_LIST], total }
  }
  // If no element has any part of a key, the answer is not the requested list.
  if (read === 0 && unreadable.first !== undefined && !unreadable.isNamed) throw unreadable.first
  asked.end()
  // An attempt without records must still be able to discard the records of an earlier one.
  if (read === 0) yield { records: [], losses: [], total }
}

function lookupIn(stored: KnownRecords, operation: string, reader: Reader): ElementLookup {
  const parse = (bytes: Buffer): AnyRecord => {
    const { values } = parseRun(Buffer.concat([OPENING, bytes, CLOSING]), PARSED_ALONE)
    return reader.read(values[0], [])
  }
  return { stored, placeholder: (number, bytes, at) => new Unchanged(operation, stored, number, { bytes, at, parse }) }
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

/** Why the first unreadable element of an answer cannot be read, and whether any of them has a part of its key. */
interface Unreadable {
  first: DecodeError | undefined
  isNamed: boolean
}

/** An element that cannot be read is a loss; the others are kept. */
function readRun({ values, firstElement, damage, tooDeep }: Run, reader: Reader, unreadable: Unreadable) {
  const losses: ConversionIssue[] = []
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
        ...fieldIssue('', tooDeep.has(index) ? 'unreadable' : 'unkeyed', value),
      })
    }
  }
  return { records, losses }
}
