import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ran, RunOptions, Started } from '@collab-etl/harness/commands'
import type { Sandbox } from '@collab-etl/sandbox'
import { expect } from 'vitest'

/** A moment in a run, and how long after it, in milliseconds, a signal is sent. */
export interface Moment {
  /** @param requests how many have come in since the command was started */
  readonly hasCome: (requests: number) => boolean
  readonly after: number
}

/** Once the request of that number comes in; 1 is the first. */
export function onRequest(number: number, after = 0): Moment {
  return { hasCome: (requests) => requests >= number, after }
}

/** Once there is such a file or folder. */
export function onceThere(path: string, after = 0): Moment {
  return { hasCome: () => existsSync(path), after }
}

/** Once there is none. */
export function onceGone(path: string, after = 0): Moment {
  return { hasCome: () => !existsSync(path), after }
}

/** Lets a command run and sends it a signal at a moment; one that has ended by then was faster. */
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

/** The first of some runs that was killed; fails where every one was faster. */
export function killedOne(runs: readonly Ran[]): Ran {
  const killed = runs.find(({ signal }) => signal === 'SIGKILL')
  expect(killed, 'one run that was killed').toBeDefined()
  return killed as Ran // or it has failed above
}
