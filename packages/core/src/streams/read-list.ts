import type { Page, Received } from '@collab-etl/contract'
import { POSSIBLY_CAPPED, type RecordLoss, type StreamBatch } from '@collab-etl/contract/streams'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'

/** Result of testing a list of suspicious length. */
export type Confirmation = 'whole' | 'cut' | 'unclear'

/** A list that is sent in one answer. */
export interface OneAnswerList<R> {
  /** Requests the list. */
  readonly batches: (options: CallOptions) => AsyncIterable<RecordBatch<R>>
  readonly toBatch: (batch: Pick<RecordBatch<R>, 'records' | 'losses'>) => StreamBatch
  /** Sees each record; `restart` discards all: the list is read again. */
  readonly observer?: { see(records: readonly R[]): void; restart(): void } | undefined
  /** What the records name and the list lacks, known at its end. */
  readonly unlisted?: (() => readonly Unlisted[]) | undefined
  /** Tests whether a list of suspicious length is complete; may emit more records. */
  readonly confirm?: ((count: number) => Promise<Confirmation>) | undefined
  readonly signal: AbortSignal
}

/** Reads a list that is sent in one answer. If it is cut, the scope ends as `drifted`. */
export async function readList<R>(list: OneAnswerList<R>, reading: ScopeReading): Promise<Ending> {
  const { observer, signal } = list
  let count = 0
  let total: number | null = null
  reading.pages = 1
  for await (const { restart, records, losses, total: stated } of list.batches({ signal, stats: reading.stats })) {
    total = stated
    if (restart) {
      count = 0
      observer?.restart()
      await reading.restart()
    }
    count += elementCount({ records, losses })
    observer?.see(records)
    await reading.write(list.toBatch({ records, losses }))
  }
  // if the service states the length, records that are not in the list do not exist
  const unlisted = total === null ? (list.unlisted?.() ?? []) : []
  if (unlisted.length > 0) await reading.write(list.toBatch({ records: [], losses: unlisted.map(({ loss }) => loss) }))
  const verdict = judgeLength({ count, total })
  if (verdict === 'cut') return capped(cutAt(count, total ?? count))
  if (verdict !== 'suspicious') return { status: 'complete' }
  const shown = await list.confirm?.(count)
  if (shown === 'whole') return { status: 'complete' }
  if (shown === 'cut') return capped(cutAt(count))
  return { status: 'complete', suspicious: { length: count, named: unlisted.map(({ id }) => id) } }
}

function capped(message: string): Ending {
  return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } }
}

/** The id of a record that another one names although it is not in the list. */
export interface Unlisted {
  readonly id: string
  /** The conversion issue of the record that names it. */
  readonly loss: RecordLoss
}

type AnyPage = Pick<Received<typeof Page>, 'page_id' | 'parent_id'>

/** Pages whose parents are not in the list. Remembers the ids of all pages: some 100 bytes each. */
export class PageParents {
  readonly #pages = new Set<string>()
  /** The first page that names each parent. */
  readonly #parents = new Map<string, string>()

  see(pages: readonly AnyPage[]): void {
    for (const { page_id: id, parent_id: parent } of pages) {
      this.#pages.add(id)
      if (parent && !this.#parents.has(parent)) this.#parents.set(parent, id)
    }
  }

  restart(): void {
    this.#pages.clear()
    this.#parents.clear()
  }

  unlisted(): Unlisted[] {
    const missing = [...this.#parents].filter(([parent]) => !this.#pages.has(parent))
    return missing.map(([id, page]) => {
      return { id, loss: { recordKey: page, field: 'parent_id', kind: 'unlisted', original: JSON.stringify(id) } }
    })
  }
}
