#!/usr/bin/env node
import { canStart } from '@collab-etl/cli/start'

if (canStart('collab-nightly')) await import('../dist/main.js')
