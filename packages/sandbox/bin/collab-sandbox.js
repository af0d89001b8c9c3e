#!/usr/bin/env node
import { hasWorkingDirectory } from '@collab-etl/cli/working-directory'

if (hasWorkingDirectory('collab-sandbox')) await import('../dist/main.js')
