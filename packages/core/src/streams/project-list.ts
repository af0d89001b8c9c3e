import type { ProjectListItem, Received } from '@collab-etl/contract'
import { type ConversionIssue, isOfList, POSSIBLY_CAPPED, type ScopeResult } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { newStats, type RequestStats } from '../http/events.ts'
import { type Answer, collect, elementCount, latestOf } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import { type Ending, unreadElements, withUnreadElements } from './scope-reading.ts'

export interface ProjectToRead {
  readonly pid: string
  /** Its entry in the list of projects; `null` if it is missing from the list. */
  readonly listed: Received<typeof ProjectListItem> | null
  /** Values of that entry that could not be kept exactly. */
  readonly losses?: readonly ConversionIssue[] | undefined
}

/** Whether the caller may read a project according to the list: permission 0 means no. */
export function isPermitted({ listed }: ProjectToRead): boolean {
  return listed?.permission !== 0
}

/** The project list, and how its reading ended: `complete`, `drifted` if the list is cut, or `partial` if an element has no readable id. */
export interface ProjectList {
  readonly projects: readonly ProjectToRead[]
  /** Elements that are no readable records, as they were sent. */
  readonly losses: readonly ConversionIssue[]
  readonly result: ScopeResult
}

/**
 * Reads the list of all projects that the token's user can see (docs/service-api.md#operation-15).
 * @param options.stats counts the requests; default: those of the result
 * @throws if the list cannot be read: otherwise it would look like an empty one
 */
export async function listProjects(
  client: Client,
  options: { readonly signal?: AbortSignal | undefined; readonly stats?: RequestStats | undefined } = {},
): Promise<ProjectList> {
  const startedAt = new Date()
  const { signal, stats = newStats() } = options
  const answer = await collect(client.projects.list.batches({}, { signal, stats }))
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
  const ofList = answer.losses.filter(isOfList)
  const whole = withUnreadElements(endingOf(answer), unreadElements(ofList))
  const result: ScopeResult = { scope: { pid: null, stream: 'projects' }, ...whole, ...counts }
  return { projects, losses: ofList, result }
}

function endingOf(answer: Answer<unknown>): Ending {
  const count = elementCount(answer)
  const verdict = judgeLength({ count, total: answer.total })
  if (verdict === 'cut') {
    return { status: 'drifted', error: { code: POSSIBLY_CAPPED, message: cutAt(count, answer.total ?? count) } }
  }
  return { status: 'complete', ...(verdict === 'suspicious' && { suspicious: { length: count } }) }
}

/**
 * How the reading of all projects ended. A list without any project is `partial`: a wrong token or address is more
 * likely than a team without projects.
 */
export function resultOfAll({ projects, result }: ProjectList): ScopeResult {
  if (projects.length > 0 || result.status !== 'complete') return result
  const message =
    'the service lists no project for this token: check the address (--base-url), and that the token belongs to a user who sees the projects'
  return { ...result, status: 'partial', error: { code: 'NO_PROJECTS', message } }
}
