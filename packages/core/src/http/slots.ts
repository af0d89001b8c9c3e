import pLimit from 'p-limit'

/** A limited number of slots for requests. */
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
