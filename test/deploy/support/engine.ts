import { execFile } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const execute = promisify(execFile)

/** Runs `docker`. Its stdout, without the last line end. @throws with stderr if it fails */
export async function docker(...args: readonly string[]): Promise<string> {
  const { stdout } = await execute('docker', args, { maxBuffer: 64 * 1024 * 1024 })
  return stdout.trimEnd()
}

/** The output of a container so far, stdout and stderr. */
export async function logsOf(container: string): Promise<string> {
  const { stdout, stderr } = await execute('docker', ['logs', container], { maxBuffer: 64 * 1024 * 1024 })
  return stdout + stderr
}

/**
 * The image with Node that containers are built on: the one that TEST_NODE_IMAGE names, which `.ci/run` sets; else the official one, if an
 * engine runs that has or gets it. `null`: there is none.
 * @throws if TEST_NODE_IMAGE is set and no engine runs: then the tests must not be skipped
 */
export async function baseImage(): Promise<string | null> {
  const named = process.env['TEST_NODE_IMAGE']
  if (named !== undefined) {
    await docker('image', 'inspect', named)
    return named
  }
  const official = 'node:24-slim'
  try {
    await docker('image', 'inspect', official).catch(() => docker('pull', '--quiet', official))
    return official
  } catch {
    return null
  }
}

/** The id of a container. */
export type Container = string

/** State of a container, as `docker inspect` has it. */
export interface State {
  readonly Status: string
  readonly ExitCode: number
  readonly Health?: { readonly Status: string }
}

/** The state of a container. */
export async function stateOf(container: Container): Promise<State> {
  return JSON.parse(await docker('inspect', '--format', '{{json .State}}', container))
}

/** Waits until a condition holds. @throws with the log of the container after three minutes */
export async function waitFor(
  container: Container,
  holds: (state: State) => boolean | Promise<boolean>,
): Promise<State> {
  const deadline = performance.now() + 180_000
  while (performance.now() < deadline) {
    const state = await stateOf(container)
    if (await holds(state)) return state
    await sleep(200)
  }
  throw new Error(`not within three minutes: ${JSON.stringify(await stateOf(container))}\n${await logsOf(container)}`)
}
