import type { Backend } from './backend.ts'

/** How many sessions there may be, and how they are kept. */
export interface BackendLimits {
  readonly sessions: number
  /** A client waits this long for one. */
  readonly waitMs: number
  /** A session that no client has used for this long is ended, unless it is the last one. */
  readonly idleMs: number
  /** A session with more memory, or more space on disk, is ended instead of kept for the next client. */
  readonly largestBytes: number
}

/** Threads with Postgres, one for each client. They start when they are needed, and serve later clients again. */
export class Backends {
  readonly #start: () => Promise<Backend>
  readonly #limits: BackendLimits
  readonly #all = new Set<Backend>()
  readonly #idle: { readonly backend: Backend }[] = []
  readonly #waiting: (() => void)[] = []
  #starting = 0
  #isStopped = false

  constructor(start: () => Promise<Backend>, limits: BackendLimits) {
    this.#start = start
    this.#limits = limits
  }

  /** A session for a client; `null`: all are in use. @throws WarehouseError `QUERY` if one cannot be started */
  async take(isGone: () => boolean): Promise<Backend | null> {
    const deadline = performance.now() + this.#limits.waitMs
    for (;;) {
      const idle = this.#idle.pop()?.backend
      if (idle !== undefined && !idle.isEnded) return idle
      if (idle !== undefined) this.#all.delete(idle)
      if (this.#all.size + this.#starting < this.#limits.sessions) return await this.#add()
      const left = deadline - performance.now()
      if (left <= 0 || isGone()) return null
      await this.#change(left)
    }
  }

  async #add(): Promise<Backend> {
    this.#starting++
    try {
      const backend = await this.#start()
      this.#all.add(backend)
      // it may have been stopped meanwhile
      if (this.#isStopped) await this.#drop(backend)
      return backend
    } finally {
      this.#starting--
      this.#wake()
    }
  }

  /** Takes a session back from a client that has gone. A statement under way is ended with its session. */
  async give(backend: Backend): Promise<void> {
    const isLarge = Math.max(backend.memoryBytes, backend.spilledBytes) > this.#limits.largestBytes
    if (backend.isEnded || backend.isBusy || isLarge) return await this.#drop(backend)
    const entry = { backend }
    this.#idle.unshift(entry)
    this.#wake()
    const timer = setTimeout(() => {
      const at = this.#idle.indexOf(entry)
      if (at === -1 || [...this.#all].filter((one) => !one.isEnded).length === 1) return
      this.#idle.splice(at, 1)
      void this.#drop(backend)
    }, this.#limits.idleMs)
    timer.unref()
  }

  async #drop(backend: Backend): Promise<void> {
    await backend.stop()
    this.#all.delete(backend)
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }

  /** Resolves once a session may be free, or after a time. */
  async #change(ms: number): Promise<void> {
    const changed = Promise.withResolvers<void>()
    this.#waiting.push(changed.resolve)
    const timer = setTimeout(changed.resolve, ms)
    await changed.promise
    clearTimeout(timer)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#all].map((backend) => backend.stop()))
  }
}
