#!/usr/bin/env node
import { connect } from 'node:net'
import { dirname, join, relative } from 'node:path'
import { json } from 'node:stream/consumers'

// In place of Node, as `TEST_NODE` of a command in a host: what that command starts also runs in a host (`command-hosts.ts`).
const ROOT = join(import.meta.dirname, '../..')
const [, , path = '', ...args] = process.argv
const program = { command: '', main: relative(ROOT, join(dirname(path), '../dist/main.js')) }
const socket = connect(process.env['TEST_COMMAND_HOSTS'] ?? '')
socket.end(JSON.stringify({ program, args, env: process.env, cwd: process.cwd() }))
const { code, stdout, stderr } = await json(socket)
process.stdout.write(stdout)
process.stderr.write(stderr)
process.exitCode = code ?? 1
