import { on } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { parseExactJson } from '@collab-etl/contract/exact-json'
import { requireDatabase, takeDirectory } from '../driver/data-dir.ts'
import { WarehouseError, type WarehouseErrorCode } from '../errors.ts'
import type { QueryLimits, QueryOutcome } from './query.ts'

export interface QueryTask {
  readonly directory: string
  readonly schema: string
  readonly sql: string
  readonly limits: QueryLimits | undefined
}

/** An outcome as it is sent between threads, and the JSON texts of cells that cannot be. */
export interface SentOutcome extends QueryOutcome {
  readonly texts: readonly { readonly row: number; readonly column: number; readonly text: string }[]
}

export type QueryMessage =
  | { readonly type: 'begun' }
  | { readonly type: 'done'; readonly outcome: SentOutcome }
  | { readonly type: 'refused'; readonly code: WarehouseErrorCode; readonly message: string }
  | { readonly type: 'failed'; readonly error: unknown }

/** The built file, or the source where that is what runs. */
const WORKER = new URL(`./query-worker${extname(import.meta.url)}`, import.meta.url)

/**
 * Runs one query on the embedded warehouse in `dataDir`, which must not be in use. The database cannot be interrupted,
 * so it runs in a thread of its own, which is ended at the timeout.
 */
export async function queryEmbedded(
  {
    dataDir,
    schema,
    signal,
  }: { readonly dataDir: string; readonly schema: string; readonly signal?: AbortSignal | undefined },
  sql: string,
  timeoutSeconds: number,
  limits?: QueryLimits,
): Promise<QueryOutcome> {
  await requireDatabase(dataDir)
  const directory = await takeDirectory(dataDir)
  try {
    const task: QueryTask = { directory: directory.path, schema, sql, limits }
    const worker = new Worker(WORKER, { workerData: task })
    try {
      return await outcomeOf(worker, timeoutSeconds, signal)
    } finally {
      await worker.terminate()
    }
  } finally {
    await directory.release()
  }
}

function received({ texts, ...outcome }: SentOutcome): QueryOutcome {
  const { rows } = outcome
  for (const { row, column, text } of texts) {
    const cells = rows[row]
    if (cells !== undefined) cells[column] = parseExactJson(text)
  }
  return outcome
}

async function outcomeOf(
  worker: Worker,
  timeoutSeconds: number,
  signal: AbortSignal | undefined,
): Promise<QueryOutcome> {
  const late = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const ending = AbortSignal.any([late.signal, ...(signal === undefined ? [] : [signal])])
  try {
    for await (const [message] of on(worker, 'message', { signal: ending, close: ['exit'] }) as AsyncIterable<
      [QueryMessage]
    >) {
      if (message.type === 'done') return received(message.outcome)
      if (message.type === 'refused') throw new WarehouseError(message.code, message.message)
      if (message.type === 'failed') throw message.error
      // Opening is not the query's own time.
      timer = setTimeout(() => late.abort(), Math.min(timeoutSeconds * 1000, 2 ** 31 - 1))
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (!late.signal.aborted) throw error
    throw new WarehouseError('QUERY', `the query was ended, as it ran longer than its timeout of ${timeoutSeconds} s`)
  } finally {
    clearTimeout(timer)
  }
  throw new WarehouseError('QUERY', 'the query ended without an answer')
}
