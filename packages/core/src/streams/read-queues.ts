import type { StreamName } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { fileSource } from './file-source.ts'
import type { IdQueues } from './id-queues.ts'
import { postSource } from './post-source.ts'
import { QueueReader } from './queue-reader.ts'
import type { ScopeRun, UnendedScope } from './run-scopes.ts'

/** Items read at the same time: twice the client's default concurrency; the client limits requests anyway. */
const AT_ONCE = 16

/**
 * Reads the known posts, then the known files, then the items that they name, until no new id is discovered. A scope is
 * complete if each id was read or does not exist. Failures of other streams, which could have named further ids, are reported
 * by the scopes of those streams.
 */
export async function readQueues(
  streams: readonly StreamName[],
  context: { run: ScopeRun; client: Client; found: IdQueues; pid: string; maxMissing: number },
): Promise<UnendedScope[]> {
  const { run, pid } = context
  const readers = [
    ...(streams.includes('posts')
      ? [new QueueReader({ ...context, source: postSource, reading: run.open({ pid, stream: 'posts' }) })]
      : []),
    ...(streams.includes('files')
      ? [new QueueReader({ ...context, source: fileSource, reading: run.open({ pid, stream: 'files' }) })]
      : []),
  ]
  const underWay = new Set<Promise<void>>()
  for (;;) {
    for (const reader of readers) fill(reader, underWay)
    if (underWay.size === 0) break
    await Promise.race(underWay)
  }
  return Promise.all(readers.map((reader) => reader.finish()))
}

function fill(reader: { next(): Promise<void> | null }, underWay: Set<Promise<void>>): void {
  while (underWay.size < AT_ONCE) {
    const reading = reader.next()
    if (reading === null) return
    const ended: Promise<void> = reading.finally(() => underWay.delete(ended))
    underWay.add(ended)
  }
}
