import type { OptionalOperation } from '@collab-etl/contract'
import { isAskableId } from '@collab-etl/contract/id'
import {
  isOfList,
  POSSIBLY_CAPPED,
  type RecordKinds,
  type ScopeResult,
  type ScopeSink,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import type { AccountError } from '../errors/account-error.ts'
import { isNotAllowed } from '../errors/api-error.ts'
import { showsAbsence } from '../http/shows-absence.ts'
import type { CallOptions } from '../operations/results.ts'
import { type Asked, askAccounts, endingOfAll } from '../streams/ask-accounts.ts'
import { NEVER_OFFERED, unofferedList } from '../streams/carried-lists.ts'
import { describe, ScopeRun } from '../streams/run-scopes.ts'
import type { Ending, ScopeReading } from '../streams/scope-reading.ts'
import { endingOf } from '../streams/unread-items.ts'
import { type Answer, collect, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'

/** The id of a project's team that means no team. */
const NO_TEAM = '-1'

/** Whether an entry of the list of teams is a team that can be asked for. */
export function isTeam({ team_id }: { readonly team_id: string }): boolean {
  return team_id !== NO_TEAM && isAskableId(team_id)
}

interface TeamsOptions {
  /** Ids of the list of projects: other projects of teams are emitted. */
  readonly listed: ReadonlySet<string>
  /** Projects that the list lacks, and of which the service answered that they do not exist. Default: none is known. */
  readonly notFound?: ReadonlySet<string> | undefined
  /** Time of the last complete reading; the scope is carried if the service no longer offers teams. Default: none. */
  readonly lastReading?: Date | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads the teams of the accounts' users, each with its members and projects, as a scope without a project
 * (docs/dev/service-api.md#observed-operations). A team that cannot be read makes the scope `partial`.
 * @returns `null` if the service does not offer teams, and no run has read them
 */
export async function readTeams(
  client: Client,
  sink: ScopeSink,
  { listed, notFound, lastReading, signal: outer }: TeamsOptions,
): Promise<ScopeResult | null> {
  const run = new ScopeRun(sink, outer)
  const { signal } = run
  const unended = await run.read({ pid: null, stream: 'teams' }, async (reading) => {
    const asker = new Asker(client, { signal, stats: reading.stats })
    const teams = await asker.ask('teams.list', (options) =>
      askAccounts(client, (account) => collect(client.teams.list.batches({}, { ...options, account }))),
    )
    if (teams === null) return unofferedList(lastReading)
    return await readAllOf(teams, { client, reading, asker, run, listed, notFound, shownTo: accountsOf(teams) })
  })
  if (unended.ending === NEVER_OFFERED) return null
  const result = await run.end(unended)
  run.check()
  return result
}

interface TeamsReading {
  readonly client: Client
  readonly reading: ScopeReading
  readonly asker: Asker
  readonly run: ScopeRun
  readonly listed: ReadonlySet<string>
  readonly notFound: ReadonlySet<string> | undefined
  /** By team, the accounts that show it. */
  readonly shownTo: ReadonlyMap<string, readonly string[]>
}

const UNASKABLE = { code: 'UNEXPECTED', message: 'no request can name this id' }

/** By team, the accounts that show it, in order. */
function accountsOf({ found }: Asked<Answer<RecordKinds['team']>>): ReadonlyMap<string, readonly string[]> {
  const pairs = [...found].flatMap(([account, { records }]) => records.map(({ team_id }) => ({ team_id, account })))
  const groups = Map.groupBy(pairs, ({ team_id }) => team_id)
  return new Map([...groups].map(([team_id, of]) => [team_id, of.map(({ account }) => account)]))
}

async function readAllOf({ found, failed }: Asked<Answer<RecordKinds['team']>>, of: TeamsReading): Promise<Ending> {
  const endings: Ending[] = []
  for (const [account, teams] of found) endings.push(await readEach(teams, account, of))
  const isOffered = of.client.capabilities.offers('teams.projects.list')
  const lacksProjects = isOffered ? endings.find((ending) => ending.lacksProjects)?.lacksProjects : 'all'
  const [only, ...others] = endings
  // an account to which the service offers no teams, or does not let it read them, has not failed, unless an earlier run may have read teams with it
  const isBarred = ({ account, cause }: AccountError) =>
    (showsAbsence(cause) || isNotAllowed(cause)) && !of.client.accounts.expectsTeams(account)
  const failures = [...failed.values()].filter((error) => !isBarred(error))
  const lacking = lacksProjects && { lacksProjects }
  if (only !== undefined && others.length + failures.length === 0) return { ...only, ...lacking }
  const unread = endings.flatMap((ending) => ending.unread ?? [])
  const ending = unread.length > 0 ? endingOf('team', unread) : endingOfAll(endings, failures)
  return { ...ending, ...lacking }
}

async function readEach(teams: Answer<RecordKinds['team']>, account: string, of: TeamsReading): Promise<Ending> {
  const { reading, run, shownTo } = of
  const unread: UnreadItem[] = []
  let isInDoubt = false
  const miss = (id: string, error: UnreadItem['error']) => unread.push({ id, source: 'list', error, isFromText: false })
  await reading.write({ kind: 'team', records: [], losses: teams.losses })
  for (const team of teams.records) {
    const accounts = shownTo.get(team.team_id) ?? []
    if (team.team_id === NO_TEAM || accounts[0] !== account) continue
    let reason = UNASKABLE
    try {
      if (isTeam(team)) {
        if (!(await readTeam(team, accounts, of))) isInDoubt = true
        continue
      }
    } catch (error) {
      if (run.isBeyondItem(error)) throw error
      reason = describe(error)
    }
    await reading.write({ kind: 'team', records: [team], losses: [] })
    miss(team.team_id, reason)
  }
  const count = elementCount(teams)
  const verdict = judgeLength({ count, total: teams.total })
  if (verdict === 'cut') miss('list', { code: POSSIBLY_CAPPED, message: cutAt(count) })
  return {
    ...endingOf('team', unread),
    ...(verdict === 'suspicious' && { suspicious: { length: count } }),
    ...(isInDoubt && { lacksProjects: 'some' }),
  }
}

/**
 * Emits a team with its members and the projects that only its list shows.
 * @returns whether nothing suggests that its list of projects is cut
 */
async function readTeam(
  team: RecordKinds['team'],
  accounts: readonly string[],
  { client, reading, asker, listed, notFound }: TeamsReading,
): Promise<boolean> {
  const { team_id } = team
  const found = await asker.askInTurn(accounts, 'teams.get', (how) => client.teams.get.read({ team_id }, how))
  const detail = found?.record.team_id === team_id ? found : null
  const members = await asker.askInTurn(accounts, 'teams.members.list', (how) =>
    collect(client.teams.members.list.batches({ team_id }, how)),
  )
  const projects = await asker.askInTurn(accounts, 'teams.projects.list', (how) =>
    collect(client.teams.projects.list.batches({ team_id }, how)),
  )
  await reading.write({ kind: 'team', records: [detail?.record ?? team], losses: detail?.losses ?? [] })
  const people = (members?.records ?? []).map((member) => ({ team_id, member }))
  await reading.write({ kind: 'team_member', records: people, losses: members?.losses ?? [] })
  // an account that failed may list it
  const isListed = (pid: string) => listed.has(pid) || client.accounts.failedFor(pid).length > 0
  const others = (projects?.records ?? []).filter(({ pid }) => !isListed(pid))
  await reading.write({
    kind: 'team_project',
    records: others.map((project) => ({ team_id, project, isNotFound: notFound?.has(project.pid) === true })),
    losses: projects?.losses ?? [],
  })
  return projects !== null && !mayLackRecords(projects)
}

/** The service does not give this part of one team to this token: what it gives of others is read. */
function unlessOfTeam(error: unknown): null {
  if (isNotAllowed(error) || showsAbsence(error)) return null
  throw error
}

function mayLackRecords(answer: Answer<unknown>): boolean {
  const verdict = judgeLength({ count: elementCount(answer), total: answer.total })
  return verdict === 'cut' || verdict === 'suspicious' || answer.losses.some(isOfList)
}

/** Asks optional operations; the first request for each shows whether it is offered. */
class Asker {
  readonly #client: Client
  readonly #options: CallOptions

  constructor(client: Client, options: CallOptions) {
    this.#client = client
    this.#options = options
  }

  /** @returns `null` if the operation is not offered */
  async ask<T>(id: OptionalOperation, call: (options: CallOptions) => Promise<T>, account?: string): Promise<T | null> {
    const how = { ...this.#options, account }
    let first: T | null = null
    const isOffered = await this.#client.capabilities.tryOut(
      id,
      async (options) => {
        first = await call({ ...how, ...options })
      },
      account,
    )
    if (!isOffered) return null
    return first ?? (await call(how))
  }

  /** The answer of the first of the accounts that is given one about a team; `null`: of none. */
  async askInTurn<T>(
    accounts: readonly string[],
    id: OptionalOperation,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T | null> {
    for (const account of accounts) {
      const answer = await this.ask(id, call, account).catch(unlessOfTeam)
      if (answer !== null) return answer
    }
    return null
  }
}
