import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'

/** The built file, or the source where that is what runs. */
const THREAD = new URL(`./beat-thread${extname(import.meta.url)}`, import.meta.url)

/**
 * Changes the modification time of an open file at intervals, from a thread of its own: the embedded database blocks this one
 * for minutes. Starts after the first interval, so that short commands do without the thread.
 */
export function startBeat(fd: number, everyMs: number): { stop(): Promise<void> } {
  let thread: Worker | undefined
  const timer = setTimeout(() => {
    thread = new Worker(THREAD, { workerData: { fd, everyMs }, env: {}, execArgv: [] })
    thread.unref()
    // without the thread, only hosts without file locks could take the lock over, and the owner would notice
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
