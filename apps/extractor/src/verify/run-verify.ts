import {
  type CliError,
  type Context,
  clientOptions,
  plainText,
  requireService,
  toFailure,
  UsageError,
} from '@collab-etl/cli'
import { STREAMS } from '@collab-etl/contract/streams'
import {
  chooseProjects,
  createClient,
  listProjects,
  type ProjectToRead,
  type RequestStats,
  readProjects,
} from '@collab-etl/core'
import { type Comparison, isSameService, type RunRow, type Warehouse } from '@collab-etl/warehouse'
import { connectWarehouse } from '../connect/warehouse.ts'
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import type { VerifyOptions } from './options.ts'
import { sampleOf } from './sample.ts'
import { decideOutcome, type Outcome } from './verdict.ts'
import { Verdicts } from './verdicts.ts'
import {
  openStage,
  optionsOf,
  type Verifying,
  verifyList,
  verifyPersonalWebhooks,
  verifyUnlisted,
} from './verify-projects.ts'

/** All there is to say of a comparison. */
export interface VerifyResult {
  readonly outcome: Outcome
  /** What ended it before its time. */
  readonly failure: CliError | undefined
  /** Ids of the projects that were to be verified. */
  readonly pids: readonly string[]
  readonly names: ReadonlyMap<string, string>
  /** The share that was asked for, and of how many projects; `null` for all of them. */
  readonly sample: { readonly fraction: number; readonly of: number } | null
  readonly verdicts: Verdicts
  readonly stats: Readonly<RequestStats>
  readonly location: string
  readonly schema: string
  readonly durationMs: number
}

/** Which projects are verified; filled in once they are known. */
interface Choice {
  projects: readonly ProjectToRead[]
  sample: VerifyResult['sample']
}

/** Reads the service again and compares it with what is stored; writes to the staging tables alone. */
export async function runVerify(context: Context, options: VerifyOptions): Promise<VerifyResult> {
  const { baseUrl } = requireService(context.settings)
  const begun = performance.now()
  const warehouse = await connectWarehouse(context.settings)
  try {
    await using _lock = await warehouse.lock()
    const comparison = await warehouse.beginComparison()
    const last = await requireRun(warehouse, comparison, options)
    if (!isSameService(last.base_url, baseUrl)) {
      context.log.warn(`the warehouse holds data of ${last.base_url} and is compared with ${baseUrl}; check --base-url`)
    }
    const earlierLists = await warehouse.earlierLists(baseUrl)
    const client = createClient(clientOptions(context))
    client.findings.noteEarlierLists(earlierLists)
    const display = new Display(context.progress, client)
    const verdicts = new Verdicts()
    const verifying = {
      client,
      warehouse,
      comparison,
      options,
      verdicts,
      gone: new Set<string>(),
      unlisted: new Set<string>(),
      display,
    }
    const choice: Choice = { projects: [], sample: null }
    let failure: CliError | undefined
    try {
      await verifyAll(context, verifying, choice)
    } catch (error) {
      failure = toFailure(error, toCliError, context.signal)
    } finally {
      display.end()
      await client.close()
      await comparison.end().catch((error: unknown) => {
        failure ??= toFailure(error, toCliError, context.signal)
      })
    }
    return {
      outcome: decideOutcome(
        failure,
        verdicts.scopes.map(({ status }) => status),
      ),
      ...{ failure, verdicts, sample: choice.sample },
      pids: choice.projects.map(({ pid }) => pid),
      names: new Map(choice.projects.map(({ pid, listed }) => [pid, plainText(listed?.name ?? '')])),
      stats: { ...client.stats },
      location: warehouse.location,
      schema: warehouse.schema,
      durationMs: Math.round(performance.now() - begun),
    }
  } finally {
    await warehouse.close()
  }
}

/** There must be something to verify. */
async function requireRun(warehouse: Warehouse, comparison: Comparison, { projects }: VerifyOptions): Promise<RunRow> {
  const last = await warehouse.lastFinishedRun()
  if (last === null) {
    throw new UsageError('no run has finished yet, so there is nothing to compare: run collab-extract snapshot first')
  }
  for (const pid of projects ?? []) {
    if (!comparison.hasRead(pid)) {
      throw new UsageError(`no run has stored project ${pid}, so there is nothing to compare: check --project`)
    }
  }
  return last
}

async function verifyAll({ signal }: Context, verifying: Verifying, choice: Choice): Promise<void> {
  const { client, comparison, options, display } = verifying
  const list = await listProjects(client, { signal })
  const isSampled = options.sample < 1
  const isWhole = options.projects === null && !isSampled
  const { projectsAtOnce, eventsFrom, archivedPageSize } = options
  const unlisted = isWhole ? await verifyUnlisted(verifying, list.projects, { projectsAtOnce, signal }) : []
  const chosen = [...chooseProjects(list.projects, options.projects), ...unlisted]
  const all = chosen.filter(({ pid }) => comparison.hasRead(pid))
  choice.projects = isSampled ? sampleOf(all, options.sample) : all
  choice.sample = isSampled ? { fraction: options.sample, of: all.length } : null
  display.expect(choice.projects.length, STREAMS.length)
  if (isWhole) await verifyPersonalWebhooks(verifying, signal)
  await readProjects(client, choice.projects, {
    read: { eventsFrom, archivedPageSize, followDiscovered: false },
    prepare: ({ project }) => optionsOf(verifying, project.pid),
    openSink: ({ project }) => openStage(verifying, project),
    ...{ projectsAtOnce, signal },
  })
  await verifyList(verifying, list.projects, isWhole ? list.result : null)
}
