import { PerformanceObserver } from 'node:perf_hooks'
import v8 from 'node:v8'

/** The size that V8 gives the young generation while a command loads. More only keeps garbage for longer. */
const ENOUGH_BYTES = 16 * 1024 * 1024

/**
 * Stops the growth of V8's young generation at 16 MB. Otherwise it takes up to 128 MB on a machine with free memory.
 * The flag for its maximum size is read before any JavaScript runs; the growth factor is read at each collection.
 */
export function boundYoungGeneration() {
  const observer = new PerformanceObserver(() => {
    const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
    if (young === undefined || young.space_size < ENOUGH_BYTES) return
    v8.setFlagsFromString('--semi-space-growth-factor=1')
    observer.disconnect()
  })
  observer.observe({ entryTypes: ['gc'] })
}
