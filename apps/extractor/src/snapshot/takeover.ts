import { type Account, type Context, requireService, UsageError } from '@collab-etl/cli'
import { isSameService, type Plan, type Warehouse } from '@collab-etl/warehouse'
import { type SnapshotOptions, snapshotOptions } from './options.ts'
import { MAX_AGE_MS } from './resume.ts'
import type { RunDocument } from './run-document.ts'
import { ofAccount, ownAccounts } from './shared-accounts.ts'
import { sharedOptions } from './shared-options.ts'

/** A run with workers whose coordinator has ended. */
export interface Takeover {
  readonly plan: Plan
  readonly document: RunDocument
  /** Those with which the run reads. */
  readonly accounts: readonly Account[]
  /** Accounts of the run whose token this process cannot read, with the reason: workers may have it. */
  readonly unread: ReadonlyMap<string, string>
}

/**
 * The run that `--workers N --resume` continues; `null`: there is none. Must be called under the lock, so that no other process
 * coordinates the run.
 * @throws UsageError if it reads another service, was started with other options, or began more than 24 hours ago
 */
export async function findTakeover(
  context: Context,
  warehouse: Warehouse,
  options: SnapshotOptions,
): Promise<Takeover | null> {
  const { settings, version } = context
  if (options.workers === null || options.resume === 'off') return null
  const plan = await warehouse.runs.queue.unfinished()
  if (plan === null || plan.toolVersion !== version) return null
  if (options.resume instanceof Date && plan.startedAt < options.resume) return null
  const document = plan.document as RunDocument // as the coordinator wrote it, which had the same version
  const { baseUrl } = requireService(settings)
  const refuse = (why: string): never => {
    throw new UsageError(`run ${plan.runId}, which --resume would continue, ${why}; to begin a new run, omit --resume`)
  }
  if (!isSameService(plan.baseUrl, baseUrl)) refuse(`reads another service, ${plan.baseUrl}`)
  const { accounts, lacking, differing } = await ownAccounts(context, document)
  for (const name of differing) refuse(`was begun with another token${ofAccount(name)}`)
  const unread = new Map<string, string>()
  for (const [name, why] of lacking) {
    if (why === null) refuse(`was begun with a token${ofAccount(name)}, which is not set here`)
    else if (accounts.length === 0) refuse(`was begun with a token${ofAccount(name)}, which cannot be read: ${why}`)
    else unread.set(name, why)
  }
  if (options.resume === 'recent' && Date.now() - plan.startedAt.getTime() > MAX_AGE_MS) {
    refuse('began more than 24 hours ago: to continue it, use --resume=force')
  }
  const same = JSON.stringify(document.options)
  const defaults = await snapshotOptions(settings, {} as Parameters<typeof snapshotOptions>[1]) // no flag was given
  const given = JSON.stringify(sharedOptions(options))
  if (given !== same && given !== JSON.stringify(sharedOptions(defaults))) {
    refuse('was started with other options: to continue it, repeat them or give none')
  }
  return { plan, document, accounts, unread }
}
