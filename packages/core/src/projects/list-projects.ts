import { PROJECT_NOT_FOUND } from '@collab-etl/contract/errors'
import type { ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { isApiError, isAuthError } from '../errors/api-error.ts'
import { isBudgetError, isCollabError } from '../errors/collab-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { newStats } from '../http/events.ts'
import { type BudgetOptions, carryIfNoBudget } from '../streams/carried-lists.ts'
import { readWebhooks } from '../streams/listed-streams.ts'
import type { ProjectToRead } from '../streams/read-project.ts'
import { ScopeRun } from '../streams/run-scopes.ts'
import { collect, elementCount, latestOf } from '../walk/collect.ts'
import { POSSIBLY_CAPPED, StatedLength } from '../walk/cut.ts'
import { inParallel } from './read-projects.ts'

/** The project list, and how its reading ended: `complete`, or `drifted` if the list may be cut. */
export interface ProjectList {
  readonly projects: readonly ProjectToRead[]
  readonly result: ScopeResult
}

/**
 * Reads the list of all projects that the token's user can see (docs/service-api.md#operation-15).
 * @throws if the list cannot be read: it must not pass for an empty one
 */
export async function listProjects(
  client: Client,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<ProjectList> {
  const startedAt = new Date()
  const stats = newStats()
  const length = new StatedLength()
  const { signal } = options
  const answer = await collect(client.projects.list.batches({}, { signal, stats, onTotal: length.onTotal }))
  if (answer.losses.some(({ kind }) => kind === 'null_list')) {
    throw new DecodeError({
      problem: 'wrong_type',
      what: 'null in place of the list of projects',
      operation: 'projects.list',
    })
  }
  const { latest, losses } = latestOf(answer.records, ({ pid }) => pid)
  const lost = Map.groupBy([...answer.losses, ...losses], ({ recordKey }) => recordKey)
  const projects = [...latest].map(([pid, listed]) => ({ pid, listed, losses: lost.get(pid) ?? [] }))
  const { requests, bytes } = stats
  const counts = { pages: 1, read: projects.length, requests, bytes, startedAt, finishedAt: new Date() }
  const why = client.findings.judgeList(
    'projects.list',
    { pid: null, id: null },
    { count: elementCount(answer), total: length.total },
  )
  const ending =
    why === null
      ? ({ status: 'complete' } as const)
      : ({ status: 'drifted', error: { code: POSSIBLY_CAPPED, message: why } } as const)
  const result: ScopeResult = { scope: { pid: null, stream: 'projects' }, ...ending, ...counts }
  return { projects, result }
}

/**
 * Reads the caller's personal webhooks (docs/service-api.md#operation-22, without `pid`), as a scope without a project. If the request
 * budget does not suffice, their last reading may be carried.
 */
export async function readPersonalWebhooks(
  client: Client,
  sink: ScopeSink,
  options: BudgetOptions & { readonly signal?: AbortSignal | undefined } = {},
): Promise<ScopeResult> {
  const run = new ScopeRun(sink, options.signal)
  const { signal } = run
  const unended = await run.read({ pid: null, stream: 'webhooks' }, (reading) =>
    readWebhooks(client, {}, signal, reading).catch(carryIfNoBudget(options, 'webhooks', reading)),
  )
  const result = await run.end(unended)
  run.check()
  return result
}

/**
 * The projects to read: those of the list that are named, in the order of the list, then the named ones that are missing
 * from it.
 * @param named ids of projects; `null`: all that are listed
 */
export function chooseProjects(listed: readonly ProjectToRead[], named: Iterable<string> | null): ProjectToRead[] {
  if (named === null) return [...listed]
  const wanted = new Set(named)
  const chosen = listed.filter(({ pid }) => wanted.delete(pid))
  return [...chosen, ...[...wanted].map(unlisted)]
}

/** The service's answers about stored projects that are missing from its list, each requested by itself. */
export interface UnlistedProjects {
  /** Projects that can still be read, and those that the request budget did not allow to request: their lists are carried or fail. */
  readonly readable: readonly ProjectToRead[]
  /** Ids for which the service answers that the project does not exist. */
  readonly notFound: ReadonlySet<string>
  /** Ids with any other answer, and why the project could not be read. */
  readonly unread: ReadonlyMap<string, { readonly code: string; readonly message: string }>
}

/**
 * Requests each project once. A project that is missing from the list may still exist: the user may have left it.
 * @param options.projectsAtOnce requests at once, at most
 * @throws errors that end a run: a refused token, an abort
 */
export async function findUnlisted(
  client: Client,
  pids: readonly string[],
  options: { readonly projectsAtOnce: number; readonly signal?: AbortSignal | undefined },
): Promise<UnlistedProjects> {
  const readable: ProjectToRead[] = []
  const notFound = new Set<string>()
  const unread = new Map<string, { code: string; message: string }>()
  await inParallel(pids, options, async (pid, signal) => {
    try {
      await client.projects.get({ pid }, { signal })
      readable.push(unlisted(pid))
    } catch (error) {
      if (isBudgetError(error)) return void readable.push(unlisted(pid))
      if (signal.aborted || isAuthError(error) || !isCollabError(error)) throw error
      const message = `missing from the list of projects, and could not be read: ${error.message}`
      if (isApiError(error, PROJECT_NOT_FOUND)) notFound.add(pid)
      else unread.set(pid, { code: error.errorCode, message })
    }
  })
  const place = new Map(pids.map((pid, index) => [pid, index]))
  readable.sort((a, b) => (place.get(a.pid) ?? 0) - (place.get(b.pid) ?? 0))
  return { readable, notFound, unread }
}

function unlisted(pid: string): ProjectToRead {
  return { pid, listed: null }
}
