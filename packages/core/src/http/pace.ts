import pLimit from 'p-limit'

/** When the requests of a client may start. */
export interface Pace {
  /** Waits until the next request may start. Rejects when the signal is aborted. */
  turn(signal: AbortSignal): Promise<void>
  /** No request starts within this time from now. */
  pause(ms: number): void
  readonly isPaused: boolean
}

/** Options of a pace; times in milliseconds. */
export interface PaceOptions {
  /** Between the starts of two requests; 0 for no limit. */
  readonly intervalMs: number
  /** After a pause, waiting requests start within this time, so that they do not start all at once. */
  readonly spreadMs: number
  /** A monotonic clock. */
  readonly now: () => number
  /** Waits; rejects when the signal is aborted. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<unknown>
  /** Returns numbers from 0 to below 1. */
  readonly random: () => number
}

/** Milliseconds between two requests; 0 for no limit. */
export function intervalOf(ratePerSecond: number | undefined): number {
  return ratePerSecond === undefined ? 0 : 1000 / ratePerSecond
}

/** Waits with the `sleep` of a pace. Rejects if the signal is aborted, even if there is nothing to wait for. */
export async function waitFor(ms: number, signal: AbortSignal, sleep: PaceOptions['sleep']): Promise<void> {
  signal.throwIfAborted()
  if (ms > 0) await sleep(ms, signal)
}

/** A pace without bursts: starts are `intervalMs` apart, also after an idle time. */
export function pace({ intervalMs, spreadMs, now, sleep, random }: PaceOptions): Pace {
  let nextStart = 0
  let pausedUntil = 0
  return {
    async turn(signal) {
      while (true) {
        const pausedFor = pausedUntil - now()
        if (pausedFor > 0) {
          await waitFor(pausedFor + random() * spreadMs, signal, sleep)
          continue
        }
        const start = Math.max(nextStart, now())
        nextStart = start + intervalMs
        await waitFor(start - now(), signal, sleep)
        if (pausedUntil <= now()) return
      }
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, now() + ms)
    },
    get isPaused() {
      return pausedUntil > now()
    },
  }
}

export interface Slots {
  /** Waits for a slot; the function that it returns releases the slot. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>
}

/** Slots for `concurrency` requests, granted in the order in which they are requested. */
export function slots(concurrency: number): Slots {
  const limit = pLimit(concurrency)
  return {
    acquire(signal) {
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      if (signal.aborted) reject(signal.reason)
      else {
        const onAbort = () => reject(signal.reason)
        signal.addEventListener('abort', onAbort, { once: true })
        // The slot is taken until the promise that p-limit waits for is settled.
        void limit(() => {
          signal.removeEventListener('abort', onAbort)
          if (signal.aborted) return
          const held = Promise.withResolvers<void>()
          resolve(held.resolve)
          return held.promise
        })
      }
      return promise
    },
  }
}
