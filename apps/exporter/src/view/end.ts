/** How often the parent process is looked for, in milliseconds. */
const PARENT_MS = 1000

/**
 * Resolves when the signal is aborted, or the process that started this one has ended: otherwise it would keep serving
 * the backup without a terminal in which it can be stopped.
 * @param parent its id when this process began
 */
export async function untilEnd(signal: AbortSignal, parent: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      if (process.ppid !== parent) end()
    }, PARENT_MS)
    const end = () => {
      clearInterval(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    signal.addEventListener('abort', end)
    if (signal.aborted) end()
  })
}
