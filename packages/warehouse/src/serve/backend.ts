import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { messageOf, WarehouseError } from '../errors.ts'

/** What the thread is started with. */
export interface BackendTask {
  readonly directory: string
  readonly schema: string
  /** One 32-bit number: bytes that were posted and have not been taken. */
  readonly sent: SharedArrayBuffer
}

/** Messages for Postgres; `null`: the session of the next client begins. */
export interface BackendRequest {
  readonly id: number
  readonly bytes: Uint8Array | null
}

/** An answer of the thread. */
export type BackendReply =
  | { readonly type: 'ready'; readonly version: string; readonly user: string }
  | { readonly type: 'data'; readonly id: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly type: 'done'; readonly id: number }
  | { readonly type: 'failed'; readonly message: string }

/** Takes bytes of an answer. Postgres waits while too many are on their way. */
export type TakeBytes = (bytes: Buffer) => Promise<void>

const WORKER = new URL(`./backend-worker${extname(import.meta.url)}`, import.meta.url)

interface Started {
  readonly worker: Worker
  readonly flow: Int32Array
  readonly version: string
  readonly user: string
}

/** Postgres in a thread: one request at a time. */
export class Backend {
  readonly version: string
  readonly user: string
  /** Rejects once the thread has failed. */
  readonly failed: Promise<never>
  readonly #start: () => Promise<Started>
  #worker: Worker | undefined
  #flow: Int32Array
  #fail: (error: WarehouseError) => void
  #interruption = Promise.withResolvers<never>()
  #requests = 0
  #waiting = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(start: () => Promise<Started>, started: Started) {
    const failure = Promise.withResolvers<never>()
    failure.promise.catch(() => {})
    this.#start = start
    this.#flow = started.flow
    this.#fail = failure.reject
    this.failed = failure.promise
    this.version = started.version
    this.user = started.user
    this.#use(started)
  }

  /** @param directory a database that nothing else uses, and that is thrown away afterwards */
  static async start(directory: string, schema: string): Promise<Backend> {
    const start = () => startThread(directory, schema)
    return new Backend(start, await start())
  }

  #use({ worker, flow }: Started): void {
    this.#worker = worker
    this.#flow = flow
    this.#interruption = Promise.withResolvers()
    this.#interruption.promise.catch(() => {})
    const fail = (reason: string) => {
      // a thread that was ended on purpose has been replaced
      if (worker === this.#worker) this.#fail(new WarehouseError('QUERY', `the embedded database stopped: ${reason}`))
    }
    worker.on('error', (error) => fail(error.message))
    worker.on('exit', () => fail('its thread ended'))
    worker.on('message', (reply: BackendReply) => {
      if (reply.type === 'failed') fail(reply.message)
    })
  }

  /** Whether a request has not been answered to its end. */
  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /**
   * Sends messages to Postgres, and gives what it answers. Waits for the request before.
   * @throws WarehouseError `QUERY` if it was interrupted
   */
  run(bytes: Uint8Array | null, take: TakeBytes): Promise<void> {
    this.#waiting++
    const turn = this.#last
      .then(() => Promise.race([this.failed, this.#interruption.promise, this.#run(bytes, take)]))
      .finally(() => this.#waiting--)
    this.#last = turn.catch(() => {})
    return turn
  }

  async #run(bytes: Uint8Array | null, take: TakeBytes): Promise<void> {
    const [worker, flow] = [this.#worker, this.#flow]
    const id = ++this.#requests
    const done = Promise.withResolvers<void>()
    const onMessage = (reply: BackendReply) => {
      if (reply.type === 'done' && reply.id === id) done.resolve()
      if (reply.type !== 'data' || worker !== this.#worker) return
      const { length } = reply.bytes
      void take(Buffer.from(reply.bytes.buffer)).finally(() => {
        Atomics.sub(flow, 0, length)
        Atomics.notify(flow, 0)
      })
    }
    worker?.on('message', onMessage)
    try {
      worker?.postMessage({ id, bytes } satisfies BackendRequest)
      await done.promise
    } finally {
      worker?.off('message', onMessage)
    }
  }

  /** Ends the request under way, which Postgres in a thread cannot do itself: by another thread, with a new session. */
  async interrupt(): Promise<void> {
    const [worker, { reject }] = [this.#worker, this.#interruption]
    if (worker === undefined) return // it is being done
    this.#worker = undefined
    try {
      await worker.terminate()
      this.#use(await this.#start())
    } catch (error) {
      this.#fail(new WarehouseError('QUERY', `the embedded database stopped: ${messageOf(error)}`, { cause: error }))
    }
    reject(new WarehouseError('QUERY', 'the statement was ended'))
  }

  async stop(): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

async function startThread(directory: string, schema: string): Promise<Started> {
  const sent = new SharedArrayBuffer(4)
  const task: BackendTask = { directory, schema, sent }
  const worker = new Worker(WORKER, { workerData: task })
  const [reply] = (await once(worker, 'message')) as [BackendReply]
  if (reply.type === 'ready') return { worker, flow: new Int32Array(sent), version: reply.version, user: reply.user }
  await worker.terminate()
  const reason = reply.type === 'failed' ? reply.message : reply.type
  throw new WarehouseError('QUERY', `the copy of the embedded warehouse cannot be opened: ${reason}`)
}
