import { hash } from 'node:crypto'
import { type ConversionIssue, isUnreadElement } from '@collab-etl/contract/streams'
import type { RecordBatch } from '../operations/results.ts'
import { receivedHash, Unchanged } from '../read/unchanged.ts'

/** A complete answer, and its losses. */
export interface Answer<R> {
  readonly records: readonly R[]
  readonly losses: readonly ConversionIssue[]
  /** Length of the whole list as the service states it; `null` or absent if it does not. */
  readonly total?: number | null | undefined
}

/** Number of elements of a list, including those that are not records. */
export function elementCount({ records, losses }: Pick<Answer<unknown>, 'records' | 'losses'>): number {
  return records.length + losses.filter(isUnreadElement).length
}

/**
 * Reads an array answer to its end before any of it is emitted, so that a failed attempt has no effect.
 * @param limit if there are more records, the request is aborted, and the answer is `null`
 */
export async function collect<R>(batches: AsyncIterable<RecordBatch<R>>): Promise<Answer<R>>
export async function collect<R>(batches: AsyncIterable<RecordBatch<R>>, limit: number): Promise<Answer<R> | null>
export async function collect<R>(batches: AsyncIterable<RecordBatch<R>>, limit = Infinity): Promise<Answer<R> | null> {
  let records: R[] = []
  let losses: ConversionIssue[] = []
  let total: number | null = null
  for await (const batch of batches) {
    if (batch.restart) {
      records = []
      losses = []
    }
    total = batch.total
    for (const record of batch.records) records.push(record instanceof Unchanged ? record.keep() : record)
    for (const loss of batch.losses) losses.push(loss)
    if (records.length > limit) return null
  }
  return { records, losses, total }
}

/** The records of one answer by their keys. Of two different ones with the same key, the later is kept, with a loss. */
export function latestOf<R extends object>(
  records: readonly R[],
  keyOf: (record: R) => string,
): { readonly latest: Map<string, R>; readonly losses: ConversionIssue[] } {
  const latest = new Map<string, R>()
  const losses: ConversionIssue[] = []
  for (const record of records) {
    const recordKey = keyOf(record)
    const earlier = latest.get(recordKey)
    if (earlier !== undefined && fingerprint(earlier) !== fingerprint(record)) {
      const original = textOf(earlier)
      if (original !== textOf(record)) losses.push({ recordKey, field: '', kind: 'duplicate', original })
    }
    latest.set(recordKey, record)
  }
  return { latest, losses }
}

function textOf(record: object): string {
  return JSON.stringify(record instanceof Unchanged ? record.parse() : record)
}

/**
 * 48 bits of the hash of a record's received bytes or, without them, of its content, as a number: shows whether a record that is
 * read again has changed.
 */
export function fingerprint(record: object): number {
  const received = receivedHash(record)
  const digits =
    received === undefined ? hash('sha256', JSON.stringify(record)) : Buffer.from(received, 'latin1').toString('hex')
  return Number.parseInt(digits.slice(0, 12), 16)
}
