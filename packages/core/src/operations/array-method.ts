import type { ArrayOperation } from '@collab-etl/contract'
import { decodeArray } from '../http/array-decoder.ts'
import { errorOfBody } from '../http/error-body.ts'
import type { Run } from '../http/json-run.ts'
import type { Piece } from '../http/service.ts'
import type { AnswerHead } from '../http/transport.ts'
import type { RecordLoss } from '../loss.ts'
import { type Reader, readerOf } from '../read/reader.ts'
import type { AnyRecord } from '../read/record.ts'
import { AskedProject } from './asked-project.ts'
import type { AnyParams } from './build-request.ts'
import { callOf, type MethodContext } from './calls.ts'
import type { CallOptions, RecordBatch } from './results.ts'

type AnyBatch = RecordBatch<AnyRecord>
type Content = Omit<AnyBatch, 'restart'>

/** The method of an operation that answers with an array; `ArrayMethod` says what it does. */
export function arrayMethod(operation: ArrayOperation, context: MethodContext) {
  const reader = readerOf(operation.success.item)
  const { redact, isRateLimit } = context.service
  const readOf = (params: AnyParams | undefined, options: CallOptions | undefined) =>
    async function* (chunks: AsyncIterable<Buffer>, head: AnswerHead): AsyncGenerator<Content> {
      const { status } = head
      options?.onTotal?.(totalOf(head))
      const asked = new AskedProject(params)
      const runs = decodeArray(chunks, (other) => errorOfBody(other, { operation, status, redact, isRateLimit }))
      for await (const run of runs) {
        const content = readRun(run, reader)
        for (const record of content.records) asked.see(record)
        yield content
      }
      asked.end()
      // An attempt that found nothing must still be able to say that what another one found is void.
      yield { records: [], losses: [] }
    }
  const batches = (params?: AnyParams, options?: CallOptions): AsyncIterable<AnyBatch> => {
    return batchesOf(callOf(operation, context, params, options, { read: readOf(params, options) }))
  }
  const collect = async (params?: AnyParams, options?: CallOptions): Promise<AnyRecord[]> => {
    let records: AnyRecord[] = []
    for await (const batch of batches(params, options)) {
      if (batch.restart) records = []
      for (const record of batch.records) records.push(record)
    }
    return records
  }
  return Object.assign(collect, { batches })
}

/** Text other than a whole number says nothing. */
function totalOf(head: AnswerHead): number | null {
  const text = head.header('x-total-count')?.trim() ?? ''
  return /^\d{1,15}$/.test(text) ? Number(text) : null
}

async function* batchesOf(pieces: AsyncIterable<Piece<Content>>): AsyncGenerator<AnyBatch> {
  let handedOn: number | undefined
  for await (const { attempt, value } of pieces) {
    const restart = handedOn !== undefined && handedOn !== attempt
    if (value.records.length === 0 && !restart) continue
    handedOn = attempt
    yield { ...value, restart }
  }
}

function readRun({ values, firstElement, damage }: Run, reader: Reader): Content {
  const losses: RecordLoss[] = []
  const records = values.map((value, index) => {
    return reader.read(value, losses, { element: firstElement + index }, damage.get(index))
  })
  return { records, losses }
}
