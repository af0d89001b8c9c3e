import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { Job } from './command-hosts.ts'

const ROOT = join(import.meta.dirname, '../..')
const NODE = process.execPath
const umask = process.umask()
const { shiftClock } = (await import(`${import.meta.dirname}/shifted-clock.mjs`)) as { shiftClock(ms: number): void }
let jobs = 0

/** A stream of its own for each command: what one command attaches to stdout or stderr does not reach the next. */
function output(name: 'stdout' | 'stderr', fd: number): void {
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      writeSync(fd, chunk)
      done()
    },
  })
  Object.defineProperty(process, name, { value: Object.assign(stream, { fd }), configurable: true })
}

async function runJob({ program, args, env, cwd }: Job): Promise<void> {
  jobs += 1
  process.chdir(cwd)
  process.umask(umask)
  for (const name of Object.keys(process.env)) delete process.env[name]
  Object.assign(process.env, env)
  process.execPath = env['TEST_NODE'] ?? NODE
  shiftClock(Number(env['FAULT_CLOCK_SHIFT_MS'] ?? 0))
  process.argv = [process.execPath, join(ROOT, 'node_modules/.bin', program.command), ...args]
  process.exitCode = undefined
  output('stdout', 1)
  output('stderr', 2)
  // The query makes Node evaluate the module again; the modules that it imports stay loaded.
  await import(`${join(ROOT, program.main)}?run=${jobs}`)
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  process.chdir(ROOT)
  process.send?.({ code, memory: process.memoryUsage.rss() })
}

// An error that a command does not handle ends this process, as it would end the command's own.
process.on('message', (job: Job) => void runJob(job))
