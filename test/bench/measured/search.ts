import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '@collab-etl/harness/commands'

const PROGRAM = join(import.meta.dirname, '../../../node_modules/.bin/collab-mcp')

/** A `collab-mcp` that was started, as an assistant's program starts it. */
export interface Assistant extends AsyncDisposable {
  /** Calls the tool `search`; returns the number of results on the first page, and the time from the request to its response. */
  search(query: string): Promise<{ readonly results: number; readonly ms: number }>
}

interface Response {
  readonly id: number
  readonly error?: { readonly message: string }
  readonly result?: { readonly isError?: boolean; readonly content?: readonly { readonly text: string }[] }
}

/** Starts the server and greets it. Messages are lines of JSON. */
export async function startAssistant(env: Readonly<Record<string, string>>): Promise<Assistant> {
  const child = spawn(PROGRAM, ['--log-level', 'error'], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let id = 0
  const call = async (method: string, params: object) => {
    send({ id: ++id, method, params })
    const { value, done } = await lines.next()
    if (done === true) throw new Error('collab-mcp ended')
    const response = JSON.parse(value) as Response // of JSON-RPC
    if (response.id !== id || response.error || response.result?.isError)
      throw new Error(`collab-mcp answered ${value}`)
    return response.result
  }
  const clientInfo = { name: 'bench', version: '0' }
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  send({ method: 'notifications/initialized' })
  return {
    async search(query) {
      const begun = performance.now()
      const result = await call('tools/call', { name: 'search', arguments: { query } })
      const ms = performance.now() - begun
      const { items } = JSON.parse(result?.content?.[0]?.text ?? '') as { items: unknown[] }
      return { results: items.length, ms }
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}
