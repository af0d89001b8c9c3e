import { futimesSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// Shows that the owner of a lock is alive: `beat.ts` starts it.
const { fd, everyMs } = workerData as { fd: number; everyMs: number } // as it was started with
let last = 0

beat()
setInterval(beat, everyMs)

function beat(): void {
  // another value each time, also where the clock stands still
  last = Math.max(Date.now(), last + 1)
  try {
    futimesSync(fd, last / 1000, last / 1000)
  } catch {
    // the next one may succeed
  }
}
