import pLimit from 'p-limit'

/** Never aborted. */
const NEVER = new AbortController().signal

/**
 * Runs `work` for each item, at most `projectsAtOnce` at the same time. The first failure aborts the signal that the others
 * got, and is thrown once all of them have ended; items that were not begun are skipped.
 */
export async function inParallel<T>(
  items: readonly T[],
  { projectsAtOnce, signal: outer = NEVER }: { projectsAtOnce: number; signal?: AbortSignal | undefined },
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const limit = pLimit(projectsAtOnce)
  let failure: { readonly error: unknown } | undefined
  const one = async (item: T) => {
    if (signal.aborted) return
    try {
      await work(item, signal)
    } catch (error) {
      failure ??= { error }
      stop.abort(error)
    }
  }
  await Promise.all(items.map((item) => limit(() => one(item))))
  if (failure) throw failure.error
  outer.throwIfAborted()
}
