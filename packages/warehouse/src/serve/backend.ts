import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { WarehouseError } from '../errors.ts'
import type { Settings } from './startup.ts'

/** What a thread is started with. */
export interface BackendTask {
  /** A database that no process writes to. */
  readonly directory: string
  /** Path of a file to make for what the session writes; it has no name afterwards. */
  readonly spill: string
  readonly schema: string
  /** One 32-bit number: bytes that were posted and have not been taken. */
  readonly sent: SharedArrayBuffer
}

/** Messages for Postgres, or settings of the next client, whose session begins. */
export type BackendRequest =
  | { readonly id: number; readonly bytes: Uint8Array }
  | { readonly id: number; readonly settings: Settings }

/** How a session began. */
export interface Began {
  /** What is reported to the client, by name. */
  readonly reported: Settings
  /** Why a setting was refused. */
  readonly error: { readonly code: string; readonly message: string } | null
}

/** An answer of the thread. */
export type BackendReply =
  | { readonly type: 'ready'; readonly version: string; readonly user: string }
  | { readonly type: 'data'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | {
      readonly type: 'done'
      readonly id: number
      readonly memoryBytes: number
      readonly spilledBytes: number
      readonly began: Began | null
    }
  | { readonly type: 'failed'; readonly message: string }

type Asked = { readonly bytes: Uint8Array } | { readonly settings: Settings }

/** Takes bytes of an answer. Postgres waits while too many are on their way. */
export type TakeBytes = (bytes: Buffer) => Promise<void>

const WORKER = new URL(`./backend-worker${extname(import.meta.url)}`, import.meta.url)

/** Postgres in a thread: one session, one request at a time. */
export class Backend {
  readonly version: string
  readonly user: string
  readonly #worker: Worker
  readonly #flow: Int32Array
  readonly #ended = Promise.withResolvers<never>()
  #isEnded = false
  #requests = 0
  #waiting = 0
  #memoryBytes = 0
  #spilledBytes = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(worker: Worker, flow: Int32Array, { version, user }: { version: string; user: string }) {
    this.#worker = worker
    this.#flow = flow
    this.version = version
    this.user = user
    this.#ended.promise.catch(() => {})
    worker.on('error', (error) => this.#end(`the embedded database stopped: ${error.message}`))
    worker.on('exit', () => this.#end('the embedded database stopped: its thread ended'))
    worker.on('message', (reply: BackendReply) => {
      if (reply.type === 'failed') this.#end(`the embedded database stopped: ${reply.message}`)
    })
  }

  /** @throws WarehouseError `QUERY` if the database cannot be opened */
  static async start(task: Omit<BackendTask, 'sent'>): Promise<Backend> {
    const sent = new SharedArrayBuffer(4)
    const worker = new Worker(WORKER, { workerData: { ...task, sent } satisfies BackendTask })
    const [reply] = (await once(worker, 'message')) as [BackendReply]
    if (reply.type === 'ready') return new Backend(worker, new Int32Array(sent), reply)
    await worker.terminate()
    const reason = reply.type === 'failed' ? reply.message : reply.type
    throw new WarehouseError('QUERY', `the embedded warehouse cannot be opened: ${reason}`)
  }

  /** Whether a request has not been answered to its end. */
  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** Whether its thread has ended, or is being ended. */
  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Memory of Postgres after the last request; it is never given back. */
  get memoryBytes(): number {
    return this.#memoryBytes
  }

  /** Space on disk that sessions took since the thread started, such as for a sort; it is freed only when the thread ends. */
  get spilledBytes(): number {
    return this.#spilledBytes
  }

  /**
   * Sends messages to Postgres after the previous request has been answered, and passes its answer to `take`.
   * @throws WarehouseError `QUERY` if the thread ended
   */
  async run(bytes: Uint8Array, take: TakeBytes): Promise<void> {
    await this.#inTurn({ bytes }, take)
  }

  /**
   * Begins the session of the next client; nothing is left of the one before.
   * @throws WarehouseError `QUERY` if the thread ended
   */
  async begin(settings: Settings): Promise<Began> {
    const began = await this.#inTurn({ settings }, async () => {})
    return began ?? { reported: new Map(), error: null }
  }

  #inTurn(request: Asked, take: TakeBytes): Promise<Began | null> {
    this.#waiting++
    const turn = this.#last
      .then(() => Promise.race([this.#ended.promise, this.#run(request, take)]))
      .finally(() => this.#waiting--)
    this.#last = turn.catch(() => {})
    return turn
  }

  async #run(request: Asked, take: TakeBytes): Promise<Began | null> {
    const id = ++this.#requests
    const done = Promise.withResolvers<Began | null>()
    const onMessage = (reply: BackendReply) => {
      if (reply.type === 'done' && reply.id === id) {
        this.#memoryBytes = reply.memoryBytes
        this.#spilledBytes = reply.spilledBytes
        done.resolve(reply.began)
      }
      if (reply.type !== 'data' || this.#isEnded) return
      const { length } = reply.bytes
      void take(Buffer.from(reply.bytes.buffer)).finally(() => {
        Atomics.sub(this.#flow, 0, length)
        Atomics.notify(this.#flow, 0)
      })
    }
    this.#worker.on('message', onMessage)
    try {
      this.#worker.postMessage({ id, ...request } satisfies BackendRequest)
      return await done.promise
    } finally {
      this.#worker.off('message', onMessage)
    }
  }

  /** Ends the thread and with it a request under way: the embedded Postgres cannot cancel a statement. */
  async stop(): Promise<void> {
    this.#end('the statement was cancelled, and its session has ended')
    await this.#worker.terminate()
  }

  #end(reason: string): void {
    this.#isEnded = true
    this.#ended.reject(new WarehouseError('QUERY', reason))
  }
}
