import { PerformanceObserver } from 'node:perf_hooks'
import v8 from 'node:v8'

/** As large as V8 makes it by itself while a command loads: from there on it only holds garbage for longer. */
const ENOUGH_BYTES = 16 * 1024 * 1024

/**
 * Ends the growth of V8's young generation at 16 MB; of itself it takes up to 128 MB on a machine with memory to spare, whatever the
 * program needs. The flag for its maximum is read before any code of ours runs, and a script's first line cannot give it
 * everywhere; the factor by which it grows is read each time.
 */
export function boundYoungGeneration(): void {
  const observer = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    if (young === undefined || young.space_size < ENOUGH_BYTES) return
    v8.setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
