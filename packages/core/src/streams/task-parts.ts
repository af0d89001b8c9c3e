import type { ConversionIssue, KnownRecords, RecordKinds } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { RequestStats } from '../http/events.ts'
import { receivedHash, Unchanged } from '../read/unchanged.ts'
import { type Answer, collect } from '../walk/collect.ts'

type Task = RecordKinds['task']

/** Services do not cap lists at more than this, so more ids need not be remembered. */
const MOST_IDS = 10_000

/**
 * The ids of the tasks of a list, at least the first `most`, and hashes of the bytes in which they were received, if the sink notes them: some
 * 250 bytes each. When a list of suspicious length is read again, tasks in the same bytes are not parsed.
 */
export class SeenTasks implements KnownRecords {
  readonly ids = new Set<string>()
  readonly #received = new Set<string>()
  readonly #most: number

  constructor(most = MOST_IDS) {
    this.#most = most
  }

  see(tasks: readonly Pick<Task, 'tid'>[]): void {
    if (this.ids.size > this.#most) return
    for (const task of tasks) {
      this.ids.add(task.tid)
      const hash = receivedHash(task)
      if (hash !== undefined) this.#received.add(hash)
    }
    // no list of this length is read again
    if (this.#received.size > MOST_IDS) this.#received.clear()
  }

  find(hash: string): number {
    return this.#received.has(hash) ? 0 : -1
  }

  noteOf(): number {
    return 0
  }

  restart(): void {
    this.ids.clear()
    this.#received.clear()
  }
}

/** Checklists with fewer items than their task's `todo_count` states. */
export function cutChecklists(
  tasks: readonly (Pick<Task, 'tid' | 'todos' | 'badges'> | Unchanged<unknown>)[],
): ConversionIssue[] {
  return tasks.flatMap((task) => {
    // a task whose checklist is cut has a conversion issue, so it is never recognised by its bytes
    if (task instanceof Unchanged) return []
    const { tid, todos, badges } = task
    const stated = badges?.todo_count ?? 0
    return stated > todos.length
      ? [{ recordKey: tid, field: 'todos', kind: 'cut' as const, original: String(stated) }]
      : []
  })
}

/** Result of testing a list of suspicious length. */
export type Confirmation = 'whole' | 'cut' | 'unclear'

/**
 * Reads a list of tasks of suspicious length again in two parts, completed and not completed, and emits the tasks that were
 * missing. `whole`: none was missing, and both parts are shorter. `unclear`: none was missing, but one part is as long as the
 * list, because all tasks are of one type or the service ignores the type.
 */
export async function readTaskParts(
  { client, pid, signal }: { readonly client: Client; readonly pid: string; readonly signal: AbortSignal },
  list: {
    readonly stats: RequestStats
    readonly count: number
    readonly seen: SeenTasks
    readonly write: (missed: Answer<Task>) => Promise<void>
  },
): Promise<Confirmation> {
  let isCut = false
  let isWhole = true
  // in this order, a task that is completed between the two requests is not missed
  for (const type of ['uncompleted', 'completed'] as const) {
    const batches = client.tasks.list.batchesBeside(list.seen, { pid, type }, { signal, stats: list.stats })
    const { records, losses, total } = await collect(batches)
    if (records.length >= list.count) isWhole = false
    const missed = records.flatMap((task) => (task instanceof Unchanged || list.seen.ids.has(task.tid) ? [] : [task]))
    if (missed.length > 0 || (total ?? 0) > records.length) isCut = true
    const keys = new Set(missed.map(({ tid }) => tid))
    const lost = losses.filter(({ recordKey }) => keys.has(recordKey))
    list.seen.see(missed)
    await list.write({ records: missed, losses: lost })
  }
  if (isCut) return 'cut'
  return isWhole ? 'whole' : 'unclear'
}
