import { type Sandbox, type SandboxOptions, startSandbox } from '@collab-etl/sandbox'
import { onTestFinished } from 'vitest'
import type { Client, ClientOptions } from '../../src/index.ts'
import { clientOf } from './server.ts'

/** The service for one test, and a client of it that waits little between tries. */
export async function sandboxed(
  options: SandboxOptions = {},
  clientOptions: Partial<ClientOptions> = {},
): Promise<{ sandbox: Sandbox; client: Client; pid: string }> {
  const sandbox = await startSandbox({
    projects: 3,
    tasks: 40,
    archived: 60,
    pages: 12,
    posts: 12,
    events: 20,
    ...options,
  })
  onTestFinished(() => sandbox.close())
  const client = clientOf(sandbox.baseUrl, { token: sandbox.token, ...clientOptions })
  return { sandbox, client, pid: sandbox.pids[0] ?? '' }
}

/** Requests for an operation, as they came in. */
export function requestsFor(sandbox: Sandbox, operation: string): string[] {
  return sandbox.requests.filter((request) => request.operation === operation).map(({ path }) => path)
}

/** The first of a list, to be copied or changed. */
export function first<T>(list: readonly T[]): T {
  const [item] = list
  if (item === undefined) throw new Error('the sandbox has none')
  return item
}
