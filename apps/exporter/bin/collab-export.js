#!/usr/bin/env node
import v8 from 'node:v8'
import { hasWorkingDirectory } from '@collab-etl/cli/working-directory'
import { boundYoungGeneration } from '@collab-etl/cli/young-generation'

// A nightly job shares its machine. V8 would let what is old grow fourfold before it collects that: less than twofold is a third less
// memory for a few per cent of the time. Both before anything loads.
v8.setFlagsFromString('--heap-growing-percent=70')
boundYoungGeneration()
if (hasWorkingDirectory('collab-export')) await import('../dist/main.js')
