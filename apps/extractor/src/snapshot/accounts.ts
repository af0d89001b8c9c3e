import { type Context, UsageError } from '@collab-etl/cli'
import { type Client, type ProjectList, tryProfile } from '@collab-etl/core'
import { namedAccounts, type ProjectAccount, type Run, type RunAccount, type Warehouse } from '@collab-etl/warehouse'

/** Who reads in a run. */
export interface Readers {
  /** As the run notes them when it begins. */
  readonly accounts: readonly RunAccount[]
  /** By account, the projects that no other account lists. */
  readonly alone: ReadonlyMap<string, number>
}

interface ReadingOf {
  readonly client: Client
  readonly readers: Readers | null
}

/** An account of a run for the summary and the `--json` document. */
export interface AccountReport extends RunAccount {
  /** Projects that no other account lists: without this one, they would no longer be read. */
  readonly alone: number
}

/**
 * Tells the client which projects the accounts of earlier runs saw, and which of them may have shown teams: without those to forget, and under
 * the new name of each account that was renamed.
 * @returns the renamed accounts
 * @throws if an account that is to be forgotten is not known, or is still used
 */
export async function noteSeenBefore(client: Client, warehouse: Warehouse, of: Before): Promise<Heirs> {
  const { forgotten = [] } = of
  const used = forgotten.find((name) => client.accounts.names.includes(name))
  if (used !== undefined)
    throw new UsageError(`--forget-account ${used}: remove the account from the config file first`)
  await warehouse.log.requireAccounts(forgotten)
  const heirs = await heirsOf(client, warehouse, of)
  const nameOf = (account: string) => heirs.get(account) ?? account
  for (const account of await warehouse.log.teamAccounts(of.baseUrl)) client.accounts.expectTeams(nameOf(account))
  const seen = (await warehouse.log.projectAccounts()).filter(({ account }) => !forgotten.includes(account))
  client.accounts.sawBefore(seen.map(({ pid, account }) => ({ pid, account: nameOf(account) })))
  return heirs
}

interface Before {
  readonly baseUrl: string
  readonly signal: AbortSignal
  /** Accounts that are to be forgotten. */
  readonly forgotten?: readonly string[]
}

/** Renamed accounts: by old name, which no account has any more, the new one. Both have a token of the same user. */
type Heirs = ReadonlyMap<string, string>

async function heirsOf(client: Client, warehouse: Warehouse, of: Before): Promise<Heirs> {
  const { baseUrl, signal, forgotten = [] } = of
  const { names, owners } = client.accounts
  const before = await warehouse.log.lastAccounts(baseUrl)
  const former = [...before].filter(([name]) => !names.includes(name) && !forgotten.includes(name))
  // what keeps all accounts from answering is reported when they list their projects
  if (former.length > 0) await Promise.allSettled([tryProfile(client, { signal })])
  return new Map(
    former.flatMap(([name, { uid }]) => {
      const heir = names.find((each) => owners.get(each)?.uid === uid)
      return heir === undefined ? [] : [[name, heir] as const]
    }),
  )
}

/** Moves what is known of renamed accounts to their new names. */
export async function renameAccounts({ log }: Context, warehouse: Warehouse, heirs: Heirs): Promise<void> {
  for (const [from, to] of heirs) {
    await warehouse.runs.renameAccount(from, to)
    log.info(`account ${to} has a token of the user of account ${from}, which is no longer used: it takes its place`)
  }
}

/** Notes who takes part in a run, and which projects each account listed. */
export async function noteReaders(run: Run, client: Client, { byAccount }: ProjectList): Promise<Readers> {
  const { names, failures, owners } = client.accounts
  const accounts = [...new Set([...names, ...failures.keys()])].map((account): RunAccount => {
    const { uid = null, name = null } = owners.get(account) ?? {}
    const projects = byAccount.get(account)?.length ?? null
    return { account, uid, name, projects, read: null, error: errorOf(client, account), offered: null }
  })
  await run.noteAccounts(accounts)
  await run.noteProjectAccounts([...byAccount].flatMap(([account, list]) => list.map((of) => seenBy(account, of))))
  const lists = [...byAccount].map(([account, list]) => ({ account, pids: new Set(list.map(({ pid }) => pid)) }))
  // those of an account that failed are not known
  if (failures.size > 0) return { accounts, alone: new Map() }
  const alone = lists.map(({ account, pids }) => {
    const others = lists.filter((other) => other.account !== account)
    return [account, [...pids].filter((pid) => !others.some((other) => other.pids.has(pid))).length] as const
  })
  return { accounts, alone: new Map(alone) }
}

/** Accounts that have names, as the run noted them. */
export function accountReports(noted: readonly RunAccount[] | null, { readers }: ReadingOf): AccountReport[] {
  return namedAccounts(noted).map((of) => ({ ...of, alone: readers?.alone.get(of.account) ?? 0 }))
}

/** Notes which account has read what so far, what it was offered, and which failed. */
export async function noteRead(run: Run, { client, readers: of }: ReadingOf): Promise<void> {
  const accounts = namedAccounts(of?.accounts ?? null)
  if (accounts.length === 0) return
  const { readers } = client.accounts
  await run.noteReaders(readers)
  const read = Map.groupBy(readers.values(), (account) => account)
  await run.noteAccounts(
    accounts.map((of): RunAccount => {
      const { account } = of
      const ended = { ...of, read: read.get(account)?.length ?? 0, error: errorOf(client, account) }
      return client.accounts.names.includes(account) ? { ...ended, offered: client.accounts.offeredTo(account) } : ended
    }),
  )
}

function errorOf({ accounts }: Client, account: string): string | null {
  return accounts.failures.get(account)?.why ?? null
}

/** A project as the list of an account shows it. */
function seenBy(account: string, listed: ListedProject): ProjectAccount {
  const { pid, is_star: star, pos: position, curr_role, permission } = listed
  const is_starred = star === 0 || star === 1 ? star === 1 : null
  return { pid, account, curr_role, permission, is_starred, position }
}

type ListedProject = ProjectList['byAccount'] extends ReadonlyMap<string, readonly (infer P)[]> ? P : never
