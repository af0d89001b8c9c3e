import type { ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { readWebhooks } from '../streams/listed-streams.ts'
import { ScopeRun } from '../streams/run-scopes.ts'

/** Reads the caller's personal webhooks (docs/service-api.md#operation-22, without `pid`), as a scope without a project. */
export async function readPersonalWebhooks(
  client: Client,
  sink: ScopeSink,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ScopeResult> {
  const run = new ScopeRun(sink, options.signal)
  const { signal } = run
  const unended = await run.read({ pid: null, stream: 'webhooks' }, (reading) =>
    readWebhooks(client, {}, signal, reading),
  )
  const result = await run.end(unended)
  run.check()
  return result
}
