import type { ProjectListItem, Received } from '@collab-etl/contract'
import { type ConversionIssue, isOfList, type ScopeResult } from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { AccountError } from '../errors/account-error.ts'
import { DecodeError } from '../errors/decode-error.ts'
import { rightsOf } from '../http/accounts.ts'
import { newStats, type RequestStats } from '../http/events.ts'
import type { CallOptions } from '../operations/results.ts'
import { collect, latestOf } from '../walk/collect.ts'
import { askAccounts, endingOfAll, endingOfList } from './ask-accounts.ts'
import { type Ending, unreadElements, withUnreadElements } from './scope-reading.ts'

type ListedProject = Received<typeof ProjectListItem>

export interface ProjectToRead {
  readonly pid: string
  /** Its entry in the list of projects; `null` if it is missing from the list. */
  readonly listed: ListedProject | null
  /** Values of that entry that could not be kept exactly. */
  readonly losses?: readonly ConversionIssue[] | undefined
}

/** Whether the caller may read a project according to the list: permission 0 means no. */
export function isPermitted({ listed }: ProjectToRead): boolean {
  return listed?.permission !== 0
}

/** The project list, and how its reading ended: `complete`, `drifted` if the list is cut, or `partial` if an element has no readable id. */
export interface ProjectList {
  /** Those of all accounts, each with the entry of the account that may do most in it. */
  readonly projects: readonly ProjectToRead[]
  /** Entries of each account that could be asked. */
  readonly byAccount: ReadonlyMap<string, readonly ListedProject[]>
  /** Accounts whose lists could not be read, and those of earlier runs that are not used any more. */
  readonly failed: ReadonlyMap<string, AccountError>
  /** Elements that are no readable records, as they were sent. */
  readonly losses: readonly ConversionIssue[]
  readonly result: ScopeResult
}

/** The list of one account. */
interface AccountList {
  readonly account: string
  readonly projects: readonly (ProjectToRead & { readonly listed: ListedProject })[]
  readonly losses: readonly ConversionIssue[]
  readonly ending: Ending
}

/**
 * Reads the list of all projects that the users of the accounts can see (docs/dev/service-api.md#operation-15). If the list of one of several
 * accounts cannot be read, the scope is `partial`, and the account is not used any more.
 * @param options.stats counts the requests; default: those of the result
 * @throws if no list can be read: otherwise it would look like an empty one
 */
export async function listProjects(
  client: Client,
  options: { readonly signal?: AbortSignal | undefined; readonly stats?: RequestStats | undefined } = {},
): Promise<ProjectList> {
  const startedAt = new Date()
  const { signal, stats = newStats() } = options
  const { found, failed } = await askAccounts(client, (account) => listOf(client, account, { signal, stats }))
  for (const [account, error] of failed) client.accounts.retire(account, error)
  const lists = [...found.values()]
  for (const { account, projects } of lists) {
    client.accounts.noteListed(
      account,
      projects.map(({ listed }) => listed),
    )
  }
  const projects = merged(lists)
  const losses = lists.flatMap((list) => list.losses)
  const { requests, bytes } = stats
  const counts = { pages: 1, read: projects.length, requests, bytes, startedAt, finishedAt: new Date() }
  const ending = withUnreadElements(
    endingOfAll(
      lists.map((list) => list.ending),
      [...failed.values()],
    ),
    unreadElements(losses),
  )
  const result: ScopeResult = { scope: { pid: null, stream: 'projects' }, ...ending, ...counts }
  const byAccount = new Map(lists.map((list) => [list.account, list.projects.map(({ listed }) => listed)]))
  return { projects, byAccount, failed, losses, result }
}

async function listOf(
  client: Client,
  account: string,
  of: Pick<CallOptions, 'signal' | 'stats'>,
): Promise<AccountList> {
  const answer = await collect(client.projects.list.batches({}, { ...of, account }))
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
  return { account, projects, losses: answer.losses.filter(isOfList), ending: endingOfList(client, account, answer) }
}

/** The projects of all lists; of those that are in several, the entry with the highest permission. */
function merged(lists: readonly AccountList[]): ProjectToRead[] {
  const best = new Map<string, AccountList['projects'][number]>()
  for (const project of lists.flatMap((list) => list.projects)) {
    const other = best.get(project.pid)?.listed
    if (other === undefined || rightsOf(project.listed.permission) > rightsOf(other.permission))
      best.set(project.pid, project)
  }
  return [...best.values()]
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
