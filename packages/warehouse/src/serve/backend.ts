import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { WarehouseError } from '../errors.ts'

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

/** Postgres in a thread: one request at a time. */
export class Backend {
  readonly version: string
  readonly user: string
  /** Rejects once the thread has failed. */
  readonly failed: Promise<never>
  readonly #worker: Worker
  readonly #flow: Int32Array
  #requests = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(worker: Worker, flow: Int32Array, { version, user }: { version: string; user: string }) {
    this.#worker = worker
    this.#flow = flow
    this.version = version
    this.user = user
    this.failed = new Promise((_, reject) => {
      const fail = (reason: string) => reject(new WarehouseError('QUERY', `the embedded database stopped: ${reason}`))
      worker.on('error', (error) => fail(error.message))
      worker.on('exit', () => fail('its thread ended'))
      worker.on('message', (reply: BackendReply) => {
        if (reply.type === 'failed') fail(reply.message)
      })
    })
    this.failed.catch(() => {})
  }

  /** @param directory a database that nothing else uses, and that is thrown away afterwards */
  static async start(directory: string, schema: string): Promise<Backend> {
    const sent = new SharedArrayBuffer(4)
    const task: BackendTask = { directory, schema, sent }
    const worker = new Worker(WORKER, { workerData: task })
    const [reply] = (await once(worker, 'message')) as [BackendReply]
    if (reply.type === 'ready') return new Backend(worker, new Int32Array(sent), reply)
    await worker.terminate()
    const reason = reply.type === 'failed' ? reply.message : reply.type
    throw new WarehouseError('QUERY', `the copy of the embedded warehouse cannot be opened: ${reason}`)
  }

  /** Sends messages to Postgres, and gives what it answers. Waits for the request before. */
  run(bytes: Uint8Array | null, take: TakeBytes): Promise<void> {
    const turn = this.#last.then(() => Promise.race([this.failed, this.#run(bytes, take)]))
    this.#last = turn.catch(() => {})
    return turn
  }

  async #run(bytes: Uint8Array | null, take: TakeBytes): Promise<void> {
    const id = ++this.#requests
    const done = Promise.withResolvers<void>()
    const onMessage = (reply: BackendReply) => {
      if (reply.type === 'done' && reply.id === id) done.resolve()
      if (reply.type !== 'data') return
      const { length } = reply.bytes
      void take(Buffer.from(reply.bytes.buffer)).finally(() => {
        Atomics.sub(this.#flow, 0, length)
        Atomics.notify(this.#flow, 0)
      })
    }
    this.#worker.on('message', onMessage)
    try {
      this.#worker.postMessage({ id, bytes } satisfies BackendRequest)
      await done.promise
    } finally {
      this.#worker.off('message', onMessage)
    }
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }
}
