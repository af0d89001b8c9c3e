/** Items read at the same time: twice the client's default concurrency; the client limits requests anyway. */
export const AT_ONCE = 16

/** Does the work of all items, `AT_ONCE` of them at a time. After a failure no further item is begun; it is thrown when those under way have ended. */
export async function atOnce<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const queue = items[Symbol.iterator]()
  let hasFailed = false
  const worker = async () => {
    for (let next = queue.next(); !next.done && !hasFailed; next = queue.next()) {
      await work(next.value).catch((error: unknown) => {
        hasFailed = true
        throw error
      })
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, worker))
  for (const one of ended) if (one.status === 'rejected') throw one.reason
}
