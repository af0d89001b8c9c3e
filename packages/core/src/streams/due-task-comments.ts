import { isAskableId } from '@collab-etl/contract/id'
import type { CommentedTask } from '@collab-etl/contract/streams'
import type { Capabilities } from '../capabilities/capabilities.ts'
import { Unchanged } from '../read/unchanged.ts'
import { SinkFailure } from './scope-reading.ts'

/** Of these tasks, those whose comments are to be read. */
export type DueTaskComments = (tasks: readonly CommentedTask[]) => Promise<readonly string[]>

/** Tasks that are judged at once. */
const CHUNK = 1000

type SeenTask = { tid: string; updated_at: string | null; badges: { comment_count: number | null } | null }

/**
 * Collects, while the lists of tasks are read, the tasks whose comments are to be read. Whether the service offers comments of tasks is
 * found out with the first task, beside the reading of the list: the list may occupy the only request that is allowed at once.
 */
export class DueTasks {
  readonly #capabilities: Capabilities
  readonly #tryOut: (tid: string) => Promise<boolean>
  readonly #dueOf: DueTaskComments
  /** Whether tasks without comments may have stored ones. */
  readonly #mayBeStored: boolean
  readonly #due = new Map<string, CommentedTask>()
  #chunk: CommentedTask[] = []
  #isOffered: Promise<boolean> | null = null
  /** The service was found not to offer comments of tasks. */
  #isAbsent = false
  #judged: Promise<void> = Promise.resolve()

  constructor(
    capabilities: Capabilities,
    tryOut: (tid: string) => Promise<boolean>,
    dueOf: DueTaskComments | undefined,
  ) {
    this.#capabilities = capabilities
    this.#tryOut = tryOut
    this.#mayBeStored = dueOf !== undefined
    this.#dueOf = dueOf ?? (async (tasks) => tasks.filter(mayHaveComments).map(({ tid }) => tid))
  }

  /** Notes tasks of a list, in the order received; a later one of the same id replaces an earlier one. */
  see(tasks: readonly (SeenTask | Unchanged<unknown>)[]): void {
    if (this.#isAbsent) return
    for (const task of tasks) {
      if (!isAskableId(task.tid)) continue
      const seen = commentedTask(task)
      if (this.#isOffered === null) {
        this.#isOffered = this.#tryOut(task.tid)
        this.#isOffered.then(
          (isOffered) => {
            this.#isAbsent = !isOffered
          },
          () => {}, // `due` throws it
        )
      }
      if (!mayHaveComments(seen) && !this.#mayBeStored) continue
      if (this.#chunk.push(seen) >= CHUNK) this.#judge()
    }
  }

  /** Whether the comments of tasks can be read at all; without any task, by the last finding. */
  async isOffered(): Promise<boolean> {
    return (await this.#isOffered) ?? this.#capabilities.offers('tasks.comments.list')
  }

  /** The tasks whose comments are to be read, once all were seen. */
  async due(): Promise<readonly CommentedTask[]> {
    this.#judge()
    await this.#judged
    return [...this.#due.values()]
  }

  #judge(): void {
    const chunk = this.#chunk.splice(0)
    const judge = async () => {
      if (chunk.length === 0 || !(await this.isOffered())) return
      const due = await this.#dueOf(chunk).catch((cause: unknown) => {
        throw new SinkFailure(cause)
      })
      const byId = new Map(chunk.map((task) => [task.tid, task]))
      for (const tid of due) {
        const task = byId.get(tid)
        if (task !== undefined) this.#due.set(tid, task)
      }
    }
    this.#judged = this.#judged.then(judge)
    this.#judged.catch(() => {}) // `due` throws it
  }
}

/** Also true if the service does not say how many. */
function mayHaveComments({ comment_count: count }: CommentedTask): boolean {
  return count === null || count > 0
}

function commentedTask(task: SeenTask | Unchanged<unknown>): CommentedTask {
  const { tid, updated_at } = task
  const noted = task instanceof Unchanged ? task.commentCount : undefined
  const record = () => (task instanceof Unchanged ? (task.parse() as SeenTask) : task)
  return { tid, comment_count: noted ?? record().badges?.comment_count ?? null, updated_at }
}
