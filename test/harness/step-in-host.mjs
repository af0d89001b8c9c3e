#!/usr/bin/env node
import { connect } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { json } from 'node:stream/consumers'

// In place of Node, as `TEST_NODE` of a command in a host: what that command starts also runs in a host (`command-hosts.ts`), apart
// from the sandbox, whose output is read while it runs.
const ROOT = join(import.meta.dirname, '../..')
const [node = '', , path = '', ...args] = process.argv
if (path.includes('sandbox')) {
  process.argv = [node, path, ...args]
  await import(path)
} else await runInHost()

async function runInHost() {
  const program = { command: '', main: relative(ROOT, join(dirname(path), '../dist/main.js')) }
  const socket = connect(process.env['TEST_COMMAND_HOSTS'] ?? '')
  socket.end(JSON.stringify({ program, args, env: process.env, cwd: process.cwd() }))
  const { code, stdout, stderr } = await json(socket)
  process.stdout.write(stdout)
  process.stderr.write(stderr)
  process.exitCode = code ?? 1
}
