import type { BareTask, Page, Received } from '@collab-etl/contract'
import type { RecordLoss, StreamBatch } from '@collab-etl/contract/streams'
import type { ServiceFindings } from '../findings.ts'
import type { CallOptions, RecordBatch } from '../operations/results.ts'
import { Unchanged } from '../read/unchanged.ts'
import { elementCount } from '../walk/collect.ts'
import { isTypicalCap, POSSIBLY_CAPPED, StatedLength, whyCut } from '../walk/cut.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'

/** Result of testing a list of doubtful length. */
export type Confirmation = 'whole' | 'cut' | 'unclear'

/** A list that is sent in one answer. */
export interface OneAnswerList<R> {
  /** Dotted id of the operation. */
  readonly operation: string
  /** `null`: a list without a project. */
  readonly pid: string | null
  readonly findings: ServiceFindings
  /** Requests the list. */
  readonly batches: (options: CallOptions) => AsyncIterable<RecordBatch<R>>
  readonly toBatch: (batch: Pick<RecordBatch<R>, 'records' | 'losses'>) => StreamBatch
  readonly evidence?: Evidence<R> | undefined
  /** Tests whether a list of doubtful length is complete; may emit more records. */
  readonly confirm?: ((count: number) => Promise<Confirmation>) | undefined
  readonly signal: AbortSignal
}

/** Reads a list that is sent in one answer. If it may be cut, the scope ends as `drifted`. */
export async function readList<R>(list: OneAnswerList<R>, reading: ScopeReading): Promise<Ending> {
  const { operation, pid, findings, evidence, signal } = list
  const length = new StatedLength()
  let count = 0
  reading.pages = 1
  for await (const { records, losses, restart } of list.batches({
    signal,
    stats: reading.stats,
    onTotal: length.onTotal,
  })) {
    if (restart) {
      count = 0
      evidence?.restart()
      await reading.restart()
    }
    count += elementCount({ records, losses })
    await reading.write(list.toBatch({ records, losses: [...losses, ...(evidence?.see(records) ?? [])] }))
  }
  const { total } = length
  const { ofList, ofRecords } = evidence?.found() ?? { ofList: null, ofRecords: null }
  // if the service states the length, records that are not in the list do not exist
  if (total === null && evidence !== undefined)
    await reading.write(list.toBatch({ records: [], losses: evidence.losses() }))
  const longest = findings.longestList(operation)
  const ofStored = findings.storedEvidence(operation, { pid, id: null }, count)
  const known = { count, total, evidence: ofList ?? ofStored }
  // tested even if the service sent longer lists before: it may have begun to cut them
  const doubt = whyCut({ ...known, longest: list.confirm === undefined ? longest : 0 })
  const shown = doubt === null || total !== null ? 'unclear' : ((await list.confirm?.(count)) ?? 'unclear')
  const why = shown === 'whole' ? null : shown === 'cut' ? doubt : whyCut({ ...known, longest })
  // a limit is not below a length that the service sent
  findings.noteList(operation, count)
  if (why !== null) return capped(why)
  return ofRecords === null ? { status: 'complete' } : capped(ofRecords)
}

function capped(message: string): Ending {
  return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message } }
}

/** Evidence in the records of a list that other records are missing. */
interface Evidence<R> {
  /** Takes records, and returns losses of them. */
  see(records: readonly R[]): RecordLoss[]
  /** Discards all records: the list is read again. */
  restart(): void
  /** Evidence that the list, or a list inside its records, is cut; `null`: none. */
  found(): ListEvidence
  /** Losses that are known only at the end of the list. */
  losses(): RecordLoss[]
}

export interface ListEvidence {
  /** About the list, as a clause; used if the length of the list is doubtful. */
  readonly ofList: string | null
  /** About lists inside records that were cut at a typical length. */
  readonly ofRecords: string | null
}

type Task = Pick<Received<typeof BareTask>, 'tid' | 'todos' | 'badges'>
type AnyTask = Task | Unchanged<unknown>

/** Checklists with fewer items than their task's `todo_count` states. */
export class TodoCounts implements Evidence<AnyTask> {
  #cut: string | null = null

  see(tasks: readonly AnyTask[]): RecordLoss[] {
    return tasks.flatMap((task) => {
      // a task whose checklist is cut has a conversion issue, so it is never recognised by its bytes
      if (task instanceof Unchanged) return []
      const { tid, todos, badges } = task
      const stated = badges?.todo_count ?? 0
      if (stated <= todos.length) return []
      if (isTypicalCap(todos.length)) {
        this.#cut ??= `the checklist of task ${tid} is possibly capped at ${todos.length}: its todo_count is ${stated}`
      }
      return [{ recordKey: tid, field: 'todos', kind: 'cut', original: String(stated) }]
    })
  }

  restart(): void {
    this.#cut = null
  }

  found(): ListEvidence {
    return { ofList: null, ofRecords: this.#cut }
  }

  losses(): RecordLoss[] {
    return []
  }
}

type AnyPage = Pick<Received<typeof Page>, 'page_id' | 'parent_id'>

/** Pages whose parents are not in the list. Remembers the ids of all pages: some 100 bytes each. */
export class PageParents implements Evidence<AnyPage> {
  readonly #pages = new Set<string>()
  /** The first page that names each parent. */
  readonly #parents = new Map<string, string>()

  see(pages: readonly AnyPage[]): RecordLoss[] {
    for (const { page_id: id, parent_id: parent } of pages) {
      this.#pages.add(id)
      if (parent && !this.#parents.has(parent)) this.#parents.set(parent, id)
    }
    return []
  }

  restart(): void {
    this.#pages.clear()
    this.#parents.clear()
  }

  found(): ListEvidence {
    const [first] = this.#missing()
    if (first === undefined) return { ofList: null, ofRecords: null }
    const [parent, page] = first
    return { ofList: `page ${page} names the parent ${parent}, which is not in the list`, ofRecords: null }
  }

  losses(): RecordLoss[] {
    return this.#missing().map(([parent, page]) => {
      return { recordKey: page, field: 'parent_id', kind: 'unlisted', original: JSON.stringify(parent) }
    })
  }

  #missing(): [parent: string, page: string][] {
    return [...this.#parents].filter(([parent]) => !this.#pages.has(parent))
  }
}
