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
  readonly pids: readonly string[]
}

/** The default port of the sandbox, so that the address stays the same from run to run. */
const USUAL_PORT = 4010

/** Arguments of a sandbox with one empty project, in which everything can be restored. */
const EMPTY = [
  ...['--projects', '1', '--tasks', '0', '--archived', '0', '--pages', '0', '--posts', '0', '--events', '0'],
  '--extended',
]

/** Starts a sandbox with one empty project, on a free port. */
export async function startEmptyService(signal: AbortSignal): Promise<TrialService> {
  signal.throwIfAborted()
  return required(await start(0, EMPTY))
}

/** Starts the sandbox in a process of its own, on its usual port, or on a free one if that is taken. */
export async function startTrialService(signal: AbortSignal): Promise<TrialService> {
  signal.throwIfAborted()
  const usual = await start(USUAL_PORT)
  if ('baseUrl' in usual) return usual
  return required(await start(0))
}

type Started = TrialService | { readonly reason: string }

function required(started: Started): TrialService {
  if ('baseUrl' in started) return started
  throw new CliError(`the sandbox could not be started: ${started.reason}`, { code: 'SANDBOX' })
}

async function start(port: number, args: readonly string[] = []): Promise<Started> {
  const child = spawn(process.execPath, [programPath('collab-sandbox'), '--port', String(port), ...args], {
    env: { ...childEnvironment({}), [ENDS_WITH_PARENT]: 'true' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const complaint = child.stderr === null ? Promise.resolve('') : text(child.stderr)
  const line = await firstLine(child)
  if (line === undefined) return { reason: (await complaint).trim() }
  // the sandbox's first line
  const { base_url: baseUrl, token, pids } = JSON.parse(line) as { base_url: string; token: string; pids: string[] }
  return { baseUrl, token, pids, [Symbol.asyncDispose]: () => stop(child) }
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
