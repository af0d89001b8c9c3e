#!/usr/bin/env node

// Modules ask for the working directory as they load, and would fail with a stack trace.
if (hasWorkingDirectory()) await import('../dist/main.js')
else {
  process.stderr.write('collab-sandbox: the working directory was removed: change to one that exists (cd)\n')
  process.exitCode = 2
}

function hasWorkingDirectory() {
  try {
    return process.cwd() !== ''
  } catch {
    return false
  }
}
