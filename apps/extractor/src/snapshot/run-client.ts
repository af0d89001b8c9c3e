import { randomUUID } from 'node:crypto'
import { type Context, clientOptions, requireService } from '@collab-etl/cli'
import { type Client, createClient, intervalOf } from '@collab-etl/core'
import type { Budget, Schedule, Warehouse } from '@collab-etl/warehouse'
import type { SnapshotOptions } from './options.ts'
import { hasBudget } from './refresh-policy.ts'
import { sharingOptions } from './shared-accounts.ts'
import type { Takeover } from './takeover.ts'

/** A run that is about to begin, or to be taken over. */
interface RunToRead {
  readonly warehouse: Warehouse
  readonly options: SnapshotOptions
  readonly taken: Takeover | null
}

/** The budget that the processes of a run with workers share; `null`: there is none. */
export function budgetOf({ options, taken }: Pick<RunToRead, 'options' | 'taken'>): Budget | null {
  if (taken !== null) return taken.document.budget
  if (options.workers === null || !hasBudget(options)) return null
  return { id: randomUUID(), maxRequests: options.maxRequests ?? null, maxDurationMs: options.maxDurationMs ?? null }
}

/** When the requests of all processes of a run may start; `null`: it has no workers. */
export async function scheduleOf(
  { settings }: Context,
  { warehouse, options, taken }: RunToRead,
  budget: Budget | null,
): Promise<Schedule | null> {
  if (options.workers === null) return null
  const intervalMs = intervalOf(settings.ratePerSecond)
  // a process that takes over keeps the rate of the run unless it is given another one
  const isOfAll = taken === null || intervalMs > 0
  const limits = { intervalMs, isOfAll, budget, beginsBudget: taken === null }
  return await warehouse.runs.queue.schedule(requireService(settings).baseUrl, limits)
}

/** The client of a run: that of its coordinator if a schedule is given. */
export async function clientOf(
  context: Context,
  { warehouse, options, taken }: RunToRead,
  schedule: Schedule | null,
): Promise<Client> {
  const { settings } = context
  const { document, accounts, unread } = taken ?? {}
  const { baseUrl } = requireService(settings)
  const lastOffered =
    document === undefined ? ((await warehouse.log.lastCapabilities(baseUrl)) ?? {}) : document.offered
  const { maxRequests, maxDurationMs } = options
  const client = createClient({
    ...(schedule === null
      ? { ...(await clientOptions(context)), maxRequests, maxDurationMs }
      : await sharingOptions(context, {
          schedule,
          accounts,
          shared: document?.accounts,
          decides: taken === null ? 'all' : 'given',
        })),
    offered: settings.extended === 'off' ? null : lastOffered,
  })
  if (document !== undefined) client.accounts.restore(document.accountsKnown)
  for (const [name, why] of unread ?? []) client.accounts.noteElsewhere(name, why)
  return client
}
