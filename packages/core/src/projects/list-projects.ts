import type { ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { newStats } from '../http/events.ts'
import { readWebhooks } from '../streams/listed-streams.ts'
import type { ProjectToRead } from '../streams/read-project.ts'
import { ScopeRun } from '../streams/run-scopes.ts'
import { collect, elementCount } from '../walk/collect.ts'
import { POSSIBLY_CAPPED, StatedLength } from '../walk/cut.ts'
import { latestOf } from '../walk/duplicate.ts'

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
