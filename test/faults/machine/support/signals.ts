import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, RunOptions, Started } from '@collab-etl/harness/commands'
import type { Sandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'

/** A moment in a run, and the delay in milliseconds after which a signal is sent. */
export interface Moment {
  /** @param requests number of requests since the command started */
  readonly hasCome: (requests: number) => boolean
  readonly after: number
}

/** When the nth request arrives; 1 is the first. */
export function onRequest(number: number, after = 0): Moment {
  return { hasCome: (requests) => requests >= number, after }
}

/** When such a file or directory exists. */
export function onceThere(path: string, after = 0): Moment {
  return { hasCome: () => existsSync(path), after }
}

/** When it no longer exists. */
export function onceGone(path: string, after = 0): Moment {
  return { hasCome: () => !existsSync(path), after }
}

/** Runs a command and sends it a signal at a moment, unless it has ended by then. */
export async function signalled(
  sandbox: Sandbox,
  signal: NodeJS.Signals,
  { hasCome, after }: Moment,
  start: (options: RunOptions) => Promise<Ran>,
): Promise<Ran> {
  let command: Started | undefined
  let requests = 0
  let ended = false
  const stop = sandbox.beforeRequest(() => {
    requests += 1
  })
  const running = start({ onStart: (started) => (command = started) }).finally(() => {
    ended = true
  })
  try {
    while (!ended && !hasCome(requests)) await sleep(1)
    if (after > 0) await sleep(after)
    command?.kill(signal)
  } finally {
    stop()
  }
  return await running
}

/** The first of several runs that was killed; fails if all ended before. */
export function killedOne(runs: readonly Ran[]): Ran {
  const killed = runs.find(({ signal }) => signal === 'SIGKILL')
  expect(killed, 'one run that was killed').toBeDefined()
  return killed as Ran // checked above
}
