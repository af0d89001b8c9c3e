import type { Reason, ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { isAccountError } from '../errors/account-error.ts'
import { isAuthError } from '../errors/api-error.ts'
import { isBudgetError, isCollabError } from '../errors/collab-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import { askAccounts, endingOfAll, endingOfList } from '../streams/ask-accounts.ts'
import { askedTwice } from '../streams/asked-twice.ts'
import { type BudgetOptions, carryIfNoBudget } from '../streams/carried-lists.ts'
import type { ProjectToRead } from '../streams/project-list.ts'
import { describe, ScopeRun } from '../streams/run-scopes.ts'
import type { Ending, ScopeReading } from '../streams/scope-reading.ts'
import { collect } from '../walk/collect.ts'
import { inParallel } from './read-projects.ts'

/**
 * Reads the personal webhooks of every account (docs/dev/service-api.md#operation-22, without `pid`), as a scope without a project. If the request
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
    ofEachAccount(client, signal, reading).catch(carryIfNoBudget(options, 'webhooks', reading)),
  )
  const result = await run.end(unended)
  run.check()
  return result
}

async function ofEachAccount(client: Client, signal: AbortSignal, reading: ScopeReading): Promise<Ending> {
  const { stats } = reading
  reading.pages = 1
  const { found, failed } = await askAccounts(client, (account) =>
    collect(client.webhooks.list.batches({}, { signal, stats, account })),
  )
  const written = new Set<string>()
  for (const { records: all, losses } of found.values()) {
    // two accounts may be one user
    const records = all.filter(({ wid }) => !written.has(wid))
    await reading.write({ kind: 'webhook', records, losses })
    for (const { wid } of records) written.add(wid)
  }
  const endings = [...found].map(([account, answer]) => endingOfList(client, account, answer))
  return endingOfAll(endings, [...failed.values()])
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
  readonly unread: ReadonlyMap<string, Reason>
}

/**
 * Requests each project, and again if the service answers that it does not exist: one stray answer must not delete a project. A project
 * that is missing from the list may still exist: the user may have left it.
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
  const unread = new Map<string, Reason>()
  await inParallel(pids, options, async (pid, signal) => {
    try {
      await askedTwice(() => client.projects.get({ pid }, { signal }))
      readable.push(unlisted(pid))
    } catch (error) {
      if (isBudgetError(error)) return void readable.push(unlisted(pid))
      if (signal.aborted || isAuthError(error) || !isCollabError(error)) throw error
      const reason = describe(error)
      const message = `missing from the list of projects, and could not be read: ${reason.message}`
      if (isNotFound(error)) notFound.add(pid)
      else unread.set(pid, isAccountError(error) ? reason : { ...reason, message })
    }
  })
  const place = new Map(pids.map((pid, index) => [pid, index]))
  readable.sort((a, b) => (place.get(a.pid) ?? 0) - (place.get(b.pid) ?? 0))
  return { readable, notFound, unread }
}

function unlisted(pid: string): ProjectToRead {
  return { pid, listed: null }
}
