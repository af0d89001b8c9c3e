import v8 from 'node:v8'

/** The size that V8's young generation gets. More only keeps garbage for longer. */
const BYTES = 8 * 1024 * 1024

/** Objects that are allocated between two looks at the size, and that are kept. */
const STEP = 2000
const KEPT = 60_000

/**
 * Lets V8's young generation grow to 8 MB and no further. Otherwise it takes up to 128 MB on a machine with free memory. The flag for its
 * maximum is read before any JavaScript runs; the growth factor is read at each collection. So it is grown here, by objects that survive
 * some collections, in 15 ms: a command may run for a second without a turn of the event loop, in which it could be watched.
 */
export function boundYoungGeneration() {
  const kept = []
  for (let count = 0; youngBytes() < BYTES && count < BYTES; ) {
    for (const end = count + STEP; count < end; count++) kept[count % KEPT] = { count }
  }
  v8.setFlagsFromString('--semi-space-growth-factor=1')
}

function youngBytes() {
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')
  return young?.space_size ?? BYTES
}
