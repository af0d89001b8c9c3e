import { randomInt } from 'node:crypto'
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
import { toCliError } from '../errors.ts'
import { Display } from '../reading/display.ts'
import { noteSeenBefore } from '../snapshot/accounts.ts'
import { connectWarehouse } from '../warehouse.ts'
import {
  type Comparing,
  compareList,
  comparePersonalWebhooks,
  compareTeams,
  compareUnlisted,
  openStage,
  optionsOf,
} from './compare-projects.ts'
import type { CompareOptions } from './options.ts'
import { decideOutcome, type Outcome, Verdicts } from './verdict.ts'

/** The result of a comparison, from which the summary and the `--json` document are made. */
export interface CompareResult {
  readonly outcome: Outcome
  /** What ended the comparison early. */
  readonly failure: CliError | undefined
  readonly pids: readonly string[]
  readonly names: ReadonlyMap<string, string>
  /** The share that `--sample` requested, and the number of projects it was taken from; `null` without `--sample`. */
  readonly sample: { readonly fraction: number; readonly of: number } | null
  readonly verdicts: Verdicts
  readonly stats: Readonly<RequestStats>
  readonly location: string
  readonly schema: string
  readonly durationMs: number
}

/** Which projects are compared; set once the list was read. */
interface Choice {
  projects: readonly ProjectToRead[]
  sample: CompareResult['sample']
}

/** Reads the service again and compares it with what is stored. Writes to the staging tables only. */
export async function runCompare(context: Context, options: CompareOptions): Promise<CompareResult> {
  const { baseUrl } = requireService(context.settings)
  const ofClient = await clientOptions(context)
  const begun = performance.now()
  await using warehouse = await connectWarehouse(context.settings)
  await using _lock = await warehouse.runs.lock()
  const comparison = await warehouse.runs.beginComparison()
  const last = await requireRun(warehouse, comparison, options)
  if (!isSameService(last.base_url, baseUrl)) {
    context.log.warn(`the warehouse holds data of ${last.base_url} and is compared with ${baseUrl}; check --base-url`)
  }
  // what the last run found offered is read
  const offered = context.settings.extended === 'off' ? null : await warehouse.log.lastCapabilities(baseUrl)
  const client = createClient({ ...ofClient, offered })
  const display = new Display(context.progress, client)
  const verdicts = new Verdicts()
  const comparing = {
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
    await compareAll(context, comparing, choice)
    verdicts.accept(await warehouse.log.acceptedFailures())
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
    failure,
    verdicts,
    sample: choice.sample,
    pids: choice.projects.map(({ pid }) => pid),
    names: new Map(choice.projects.map(({ pid, listed }) => [pid, plainText(listed?.name ?? '')])),
    stats: { ...client.stats },
    location: warehouse.location,
    schema: warehouse.schema,
    durationMs: Math.round(performance.now() - begun),
  }
}

/** Returns the last finished run. Throws `UsageError` if there is none, or if no run has stored a project that was named. */
async function requireRun(warehouse: Warehouse, comparison: Comparison, { projects }: CompareOptions): Promise<RunRow> {
  const last = await warehouse.log.lastFinishedRun()
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

async function compareAll({ settings, signal }: Context, comparing: Comparing, choice: Choice): Promise<void> {
  const { client, comparison, options, display, warehouse } = comparing
  await noteSeenBefore(client, warehouse, { baseUrl: requireService(settings).baseUrl, signal })
  const list = await listProjects(client, { signal })
  const isSampled = options.sample < 1
  const isWhole = options.projects === null && !isSampled
  const { projectsAtOnce, eventsFrom, archivedPageSize } = options
  const unlisted = isWhole ? await compareUnlisted(comparing, list.projects, { projectsAtOnce, signal }) : []
  const chosen = [...chooseProjects(list.projects, options.projects), ...unlisted]
  const all = chosen.filter(({ pid }) => comparison.hasRead(pid))
  choice.projects = isSampled ? sampleOf(all, options.sample) : all
  choice.sample = isSampled ? { fraction: options.sample, of: all.length } : null
  display.expect(choice.projects.length, STREAMS.length)
  if (isWhole) {
    await comparePersonalWebhooks(comparing, signal)
    await compareTeams(comparing, list.projects, signal)
  }
  await readProjects(client, choice.projects, {
    read: { eventsFrom, archivedPageSize, followDiscovered: false },
    prepare: ({ project }) => optionsOf(comparing, project.pid),
    openSink: ({ project }) => openStage(comparing, project),
    projectsAtOnce,
    signal,
  })
  await compareList(comparing, list.projects, isWhole ? list.result : null)
}

/**
 * A share of the items, at least one, in their order. Each time others are chosen, all with the same chance, so that every
 * one has its turn sooner or later.
 */
export function sampleOf<T>(items: readonly T[], share: number): T[] {
  const wanted = Math.min(items.length, Math.max(1, Math.round(items.length * share)))
  const places = items.map((_, index) => index)
  for (let at = 0; at < wanted; at++) {
    const other = randomInt(at, places.length)
    const [a, b] = [places[at], places[other]]
    if (a === undefined || b === undefined) break
    places[at] = b
    places[other] = a
  }
  const chosen = new Set(places.slice(0, wanted))
  return items.filter((_, index) => chosen.has(index))
}
