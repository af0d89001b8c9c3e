#!/usr/bin/env node
import v8 from 'node:v8'
import { hasWorkingDirectory } from '@collab-etl/cli/working-directory'

// A nightly job shares its machine. Collecting the young and the old generation early halves the memory at the same speed.
// The flags must be set before anything else loads.
v8.setFlagsFromString('--semi-space-growth-factor=1')
v8.setFlagsFromString('--heap-growing-percent=40')
// The embedded Postgres is WebAssembly. Optimising it costs a third more processor time and 500 MB, and saves no time.
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
if (hasWorkingDirectory('collab-extract')) await import('../dist/main.js')
