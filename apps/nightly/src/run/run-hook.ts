import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ProgramLine } from '@collab-etl/cli'

/** Milliseconds from SIGTERM to SIGKILL: restic removes its lock meanwhile. */
const GRACE_MS = 10_000

/** Milliseconds that the output may stay open after the program has ended: a process that it left behind may hold it. */
const OUTPUT_MS = 1000

/** Longer lines are cut into several, in characters. */
const MOST_CHARACTERS = 4000

export interface HookOptions {
  /** The whole environment. */
  readonly env: NodeJS.ProcessEnv
  /** Ends the program, and all that it started. */
  readonly signal: AbortSignal
  /** Called with each line of its output that is not empty. */
  readonly onLine: (line: string) => void
}

/**
 * Runs a program of the operator to its end, without a shell. It gets a process group of its own, so that what it starts ends with it.
 * @returns why it failed, in one line; `null`: it succeeded
 * @throws the reason of the signal, once the program has ended
 */
export async function runHook([program, ...args]: ProgramLine, options: HookOptions): Promise<string | null> {
  const { env, signal, onLine } = options
  signal.throwIfAborted()
  const child = spawn(program, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const killGroup = (name: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // it has ended
    }
  }
  const killed = Promise.withResolvers<void>()
  let killing: NodeJS.Timeout | undefined
  const stop = () => {
    killGroup('SIGTERM')
    killing = setTimeout(() => {
      killGroup('SIGKILL')
      killed.resolve()
    }, GRACE_MS)
  }
  // a second signal ends this process at once: the program must not outlive it
  const atExit = () => killGroup('SIGTERM')
  signal.addEventListener('abort', stop)
  process.once('exit', atExit)
  using _ = endWithUs(child.pid)
  const output = Promise.all([child.stdout, child.stderr].map((stream) => eachLine(stream, onLine)))
  try {
    const [code, endedBy] = await once(child, 'exit')
    // a shell ends before the program that it waits for
    await Promise.race([output, signal.aborted ? killed.promise : sleep(OUTPUT_MS, undefined, { ref: false })])
    signal.throwIfAborted()
    if (code === 0) return null
    return code === null ? `was ended by ${endedBy}` : `ended with exit code ${code}; its output is in the log`
  } catch (error) {
    signal.throwIfAborted()
    return `cannot be started (${error instanceof Error && 'code' in error ? error.code : error})`
  } finally {
    clearTimeout(killing)
    signal.removeEventListener('abort', stop)
    process.off('exit', atExit)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

/** Ends a group of processes when this process is killed, which closes the input of the shell that waits for it. */
function endWithUs(group: number | undefined): Disposable {
  if (group === undefined) return { [Symbol.dispose]: () => {} }
  const script = `read -r _; kill -s TERM -- -${group}; sleep ${GRACE_MS / 1000}; kill -s KILL -- -${group}`
  const env = { PATH: process.env['PATH'] }
  const guard = spawn('/bin/sh', ['-c', script], { env, detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // where there is no shell, nothing waits
  guard.on('error', () => {})
  guard.stdin.on('error', () => {})
  guard.unref()
  // before its input is closed
  return { [Symbol.dispose]: () => void guard.kill('SIGKILL') }
}

/** Progress bars end their lines with a carriage return. */
const LINE_END = /\r\n|\n|\r/

async function eachLine(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const emit = (line: string) => {
    if (line.trim() !== '') onLine(line)
  }
  let rest = ''
  try {
    for await (const chunk of stream.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split(LINE_END).flatMap((line) => line.match(PIECES) ?? [''])
      rest = lines.pop() ?? ''
      for (const line of lines) emit(line)
    }
  } catch {
    // closed while another process still held it
  }
  emit(rest)
}

const PIECES = new RegExp(`.{1,${MOST_CHARACTERS}}`, 'gsu')
