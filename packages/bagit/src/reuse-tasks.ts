import { statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { BagError, type BagErrorCode } from './errors.ts'
import { BAG_FILES } from './format.ts'
import type { ListedFiles } from './manifest-reader.ts'
import type { LinkMode, PreviousBag } from './previous-bag.ts'
import { ReusedFiles, type ReuseResult, type ReuseTask } from './reused-files.ts'

export interface ThreadJob {
  readonly folder: string
  readonly previous: string
  readonly mode: Exclude<LinkMode, 'none'>
}

export interface ThreadTask {
  readonly id: number
  readonly task: ReuseTask
}

export interface ThreadAnswer {
  readonly id: number
  readonly refusal: string | null
  readonly result?: ReuseResult
  readonly failure?: { readonly message: string; readonly isBagError: boolean; readonly properties: object }
}

/** Runs tasks one after the other, in the order of the calls. */
export interface ReuseTasks {
  run(task: ReuseTask): Promise<ReuseResult>
  close(): Promise<void>
}

/** Bytes of the previous manifest, about 2,000 files, from which a thread saves more than its start costs. */
const THREAD_FROM_BYTES = 200_000

/** The built file, or the source file if the sources are run. */
const THREAD = new URL(`./reuse-thread${extname(import.meta.url)}`, import.meta.url)

/** Prepares to run the tasks of a new bag, in a thread if the previous bag has many files. */
export function openReuseTasks(folder: string, previous: PreviousBag, threadFromBytes = THREAD_FROM_BYTES): ReuseTasks {
  const bytes = statSync(join(previous.folder, BAG_FILES.manifest), { throwIfNoEntry: false })?.size ?? 0
  return bytes < threadFromBytes ? new ReusedFiles(folder, previous) : new ThreadTasks(folder, previous)
}

interface Waiting {
  readonly resolve: (result: ReuseResult) => void
  readonly reject: (error: unknown) => void
}

class ThreadTasks implements ReuseTasks {
  readonly #worker: Worker
  readonly #previous: PreviousBag
  readonly #waiting = new Map<number, Waiting>()
  #tasks = 0
  /** Why the thread has ended. */
  #failure: unknown

  constructor(folder: string, previous: PreviousBag) {
    this.#previous = previous
    const job: ThreadJob = { folder, previous: previous.folder, mode: previous.mode }
    this.#worker = new Worker(THREAD, { workerData: job, resourceLimits: { maxYoungGenerationSizeMb: 4 } })
    this.#worker.on('message', (answer: ThreadAnswer) => this.#receive(answer))
    this.#worker.on('error', (error) => this.#failAll(error))
    this.#worker.on('exit', () => this.#failAll(new Error('the thread that links files has ended')))
  }

  run(task: ReuseTask): Promise<ReuseResult> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    this.#tasks += 1
    const { promise, resolve, reject } = Promise.withResolvers<ReuseResult>()
    this.#waiting.set(this.#tasks, { resolve, reject })
    const sent = task.kind === 'link' ? { ...task, files: copyOf(task.files) } : task
    const moved = sent.kind === 'link' ? [sent.files.manifest.buffer, sent.files.sizes.buffer] : []
    this.#worker.postMessage({ id: this.#tasks, task: sent } satisfies ThreadTask, moved)
    return promise
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #receive({ id, refusal, result, failure }: ThreadAnswer): void {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    this.#previous.noteRefusal(refusal)
    if (failure === undefined) waiting?.resolve(result ?? {})
    else waiting?.reject(errorOf(failure))
  }

  #failAll(error: unknown): void {
    this.#failure ??= error
    for (const { reject } of this.#waiting.values()) reject(error)
    this.#waiting.clear()
  }
}

/** A message moves whole buffers, of which these lines may be a small part. */
function copyOf({ manifest, sizes }: ListedFiles): Record<keyof ListedFiles, Uint8Array<ArrayBuffer>> {
  return { manifest: new Uint8Array(manifest), sizes: new Uint8Array(sizes) }
}

function errorOf({ message, isBagError, properties }: NonNullable<ThreadAnswer['failure']>): Error {
  if (!isBagError) return Object.assign(new Error(message), properties)
  return new BagError((properties as { code: BagErrorCode }).code, message) // a `BagError` has it
}
