import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { CliError, childEnvironment } from '@collab-etl/cli'
import { ENDS_WITH_PARENT } from '@collab-etl/cli/start'
import { programPath } from './run-program.ts'

/** A sample service. Disposing of it stops it. */
export interface TrialService extends AsyncDisposable {
  readonly baseUrl: string
  readonly token: string
}

/** The default port of the sandbox, so that the address stays the same from run to run. */
const USUAL_PORT = 4010

/** Starts the sandbox in a process of its own, on its usual port, or on a free one if that is taken. */
export async function startTrialService(signal: AbortSignal): Promise<TrialService> {
  signal.throwIfAborted()
  const usual = await start(USUAL_PORT)
  if ('baseUrl' in usual) return usual
  const free = await start(0)
  if ('baseUrl' in free) return free
  throw new CliError(`the sandbox could not be started: ${free.reason}`, { code: 'SANDBOX' })
}

async function start(port: number): Promise<TrialService | { readonly reason: string }> {
  const child = spawn(process.execPath, [programPath('collab-sandbox'), '--port', String(port)], {
    env: { ...childEnvironment({}), [ENDS_WITH_PARENT]: 'true' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const complaint = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  const line = await firstLine(child)
  if (line === undefined) return { reason: (await complaint).trim() }
  const { base_url: baseUrl, token } = JSON.parse(line) as { base_url: string; token: string } // the sandbox's first line
  return { baseUrl, token, [Symbol.asyncDispose]: () => stop(child) }
}

/** The first line on stdout; `undefined` if the process ends without one. */
async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (child.stdout === null) return undefined
  for await (const line of createInterface({ input: child.stdout })) return line
  return undefined
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}
