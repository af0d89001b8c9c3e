import pLimit from 'p-limit'

/** A limited number of slots for requests under way. */
export interface Slots {
  /** Waits for a slot. What it returns gives the slot back. Rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<() => void>
}

/** Slots for `concurrency` requests, given in the order in which they are asked for. */
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
