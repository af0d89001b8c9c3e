#!/usr/bin/env node
import v8 from 'node:v8'
import { canStart } from '@collab-etl/cli/start'

// A nightly job shares its machine. Collecting the young and the old generation early halves the memory at the same speed.
// The flags must be set before anything else loads. The young generation stays as large as this makes it, 8 MB: with 1 MB, as it begins,
// the records of a batch are copied several times.
v8.setFlagsFromString('--semi-space-growth-factor=4')
const young = () =>
  v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? Infinity
for (let kept = []; young() < 8 * 1024 * 1024 && kept.length < 50; ) {
  kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index })))
}
v8.setFlagsFromString('--semi-space-growth-factor=1')
v8.setFlagsFromString('--heap-growing-percent=40')
// The embedded Postgres is WebAssembly. Optimising it costs a third more processor time and 500 MB, and saves no time.
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
if (canStart('collab-extract')) await import('../dist/main.js')
