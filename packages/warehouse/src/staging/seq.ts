import { STREAMS, type StreamName } from '@collab-etl/contract/streams'

/**
 * `_seq` of a staged row: the stream's number in the upper bits, the record's number within the stream in the lower 27.
 * So the rows of a stream are a range, and of two records with one key the later has the higher number.
 */
export const SEQ_BITS = 27

export const MAX_RECORDS = 2 ** SEQ_BITS

export function streamIndex(stream: StreamName): number {
  return STREAMS.indexOf(stream)
}

export function streamAt(index: number): StreamName {
  const stream = STREAMS[index]
  if (stream === undefined) throw new TypeError(`no stream has the number ${index}`)
  return stream
}

/** Whether a stream emits a record again when it changed meanwhile: the later one is an update, not a duplicate. */
export function mayRepeat(stream: StreamName): boolean {
  return stream === 'archived_tasks'
}

/** The first `_seq` of a stream. */
export function firstSeq(stream: StreamName): number {
  return streamIndex(stream) * MAX_RECORDS
}
