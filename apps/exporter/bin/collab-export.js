#!/usr/bin/env node
import v8 from 'node:v8'
import { canStart } from '@collab-etl/cli/start'
import { boundYoungGeneration } from './young-generation.js'

// A nightly job shares its machine. By default V8 lets the old generation grow fourfold before it collects: growing less than
// twofold saves a third of the memory for a few per cent of the time. The flags must be set before anything else loads.
v8.setFlagsFromString('--heap-growing-percent=50')
boundYoungGeneration()
// The embedded Postgres is WebAssembly. Optimising it costs a third more processor time and 500 MB, and saves no time.
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
if (canStart('collab-export')) await import('../dist/main.js')
