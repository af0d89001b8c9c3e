import { once } from 'node:events'
import type { SandboxOptions } from '../options.ts'
import { type Sandbox, startSandbox } from '../sandbox.ts'

/** Runs a sandbox until it is interrupted. Its first line on stdout tells where it is. */
export async function run(options: SandboxOptions): Promise<void> {
  const sandbox = await start(options)
  const interrupted = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  const { baseUrl, token, pids } = sandbox
  process.stdout.write(`${JSON.stringify({ base_url: baseUrl, token, pids })}\n`)
  await interrupted
  await sandbox.close()
}

async function start(options: SandboxOptions): Promise<Sandbox> {
  try {
    return await startSandbox(options)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    const message = `port ${options.port} on 127.0.0.1 is taken; choose another with --port, or --port 0 for a free one`
    throw new Error(message, { cause: error })
  }
}
