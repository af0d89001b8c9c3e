import { futimesSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

// Heartbeat of a lock, started by `beat.ts`.
const { fd, everyMs } = workerData as { fd: number; everyMs: number } // what `startBeat` passes
let last = 0

beat()
setInterval(beat, everyMs)

function beat(): void {
  // the value must change each time, even if the clock does not
  last = Math.max(Date.now(), last + 1)
  try {
    futimesSync(fd, last / 1000, last / 1000)
  } catch {
    // the next beat may succeed
  }
}
