#!/usr/bin/env node
import { boundYoungGeneration } from '@collab-etl/cli/young-generation'

// A nightly job shares its machine.
boundYoungGeneration()
await import('../dist/main.js')
