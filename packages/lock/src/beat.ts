import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** `.js` when built, `.ts` when run from source. */
const THREAD = new URL(`./beat-thread${extname(import.meta.url)}`, import.meta.url)

/**
 * Changes the modification time of an open file every `everyMs` milliseconds. It uses a thread, because the embedded database
 * blocks the main thread for minutes. The thread starts after the first interval, so short commands do not need it.
 */
export function startBeat(fd: number, everyMs: number): { stop(): Promise<void> } {
  let thread: Worker | undefined
  const timer = setTimeout(() => {
    thread = new Worker(THREAD, { workerData: { fd, everyMs }, env: {}, execArgv: [] })
    thread.unref()
    // without heartbeats, only a host without file locks can take the lock over, and `check()` reports that
    thread.on('error', () => {})
  }, everyMs)
  timer.unref()
  return {
    async stop() {
      clearTimeout(timer)
      await thread?.terminate()
    },
  }
}
