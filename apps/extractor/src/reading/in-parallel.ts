import pLimit from 'p-limit'

/**
 * Does the work for each item, so many at once. The first failure aborts the signal that the others got and is thrown
 * once all of them have ended; items that were not begun are left.
 */
export async function inParallel<T>(
  items: readonly T[],
  options: { readonly atOnce: number; readonly signal: AbortSignal },
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const limit = pLimit(options.atOnce)
  let failure: { readonly error: unknown } | undefined
  const one = async (item: T) => {
    if (signal.aborted) return
    try {
      await work(item, signal)
    } catch (error) {
      failure ??= { error }
      stop.abort()
    }
  }
  await Promise.all(items.map((item) => limit(() => one(item))))
  if (failure) throw failure.error
  options.signal.throwIfAborted()
}
