#!/usr/bin/env node
import v8 from 'node:v8'
import { canStart } from '@collab-etl/cli/start'

// The embedded Postgres is WebAssembly. Optimising it costs a third more processor time and 500 MB, and saves no time.
v8.setFlagsFromString('--no-wasm-tier-up')
v8.setFlagsFromString('--no-wasm-dynamic-tiering')
if (canStart('tap-collab')) await import('../dist/tap/main.js')
