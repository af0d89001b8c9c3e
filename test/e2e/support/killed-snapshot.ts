import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Sandbox } from '@collab-etl/sandbox'
import { cleanEnvironment } from '../../harness/commands.ts'

const COMMAND = join(import.meta.dirname, '../../../node_modules/.bin/collab-extract')

/** How a snapshot went that was to be killed. */
export interface Killed {
  /** It ended before it could be killed. */
  readonly ended: boolean
  /** Milliseconds from its first request to its end. */
  readonly duration: number
  readonly code: number | null
  readonly stderr: string
}

/**
 * Starts a snapshot as a user does and ends it with SIGKILL so many milliseconds after its first request: starting the program
 * is most of a short run, and nothing could go wrong there. `null`: it may end by itself.
 */
export async function snapshotKilledAfter(
  delay: number | null,
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
  args: readonly string[],
): Promise<Killed> {
  const asked = new Promise<void>((resolve) => {
    const stop = sandbox.beforeRequest(() => {
      stop()
      resolve()
    })
  })
  const child = spawn(COMMAND, ['snapshot', ...args], {
    env: { ...cleanEnvironment(), COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const err: Buffer[] = []
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (...how) => resolve(how))
  })
  await Promise.race([asked, closed])
  const begun = performance.now()
  if (delay !== null) {
    await Promise.race([sleep(delay), closed])
    child.kill('SIGKILL')
  }
  const [code, signal] = await closed
  const stderr = Buffer.concat(err).toString()
  return { ended: signal === null, duration: performance.now() - begun, code, stderr }
}
