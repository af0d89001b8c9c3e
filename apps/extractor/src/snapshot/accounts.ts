import { UsageError } from '@collab-etl/cli'
import type { Account } from '@collab-etl/contract'
import type { Client, ProjectList } from '@collab-etl/core'
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
 * Tells the client which projects the accounts of earlier runs saw, and what the last one was offered. Those that are to be forgotten did not.
 * @throws UsageError if one of these is not known, or is still used
 */
export async function noteSeenBefore(
  client: Client,
  warehouse: Warehouse,
  forgotten: readonly string[] = [],
): Promise<void> {
  const seen = await warehouse.log.projectAccounts()
  if (forgotten.length > 0) {
    const known = new Set([...(await warehouse.log.accounts()), ...seen].map(({ account }) => account))
    const used = forgotten.find((name) => client.accounts.names.includes(name))
    if (used !== undefined)
      throw new UsageError(`--forget-account ${used}: remove the account from the config file first`)
    const unknown = forgotten.find((name) => !known.has(name))
    const names = known.size === 0 ? 'none' : [...known].sort().join(', ')
    if (unknown !== undefined) {
      throw new UsageError(`--forget-account ${unknown}: the warehouse knows no such account (${names})`)
    }
  }
  const last = await warehouse.log.lastFinishedRun(undefined, { coversAll: true })
  for (const { account, offered } of last?.accounts ?? []) client.accounts.offeredBefore(account, offered ?? {})
  client.accounts.sawBefore(seen.filter(({ account }) => !forgotten.includes(account)))
}

/** Notes who takes part in a run, and which projects each account listed. */
export async function noteReaders(
  run: Run,
  client: Client,
  { byAccount }: ProjectList,
  owners: ReadonlyMap<string, Account>,
): Promise<Readers> {
  const { names, failures } = client.accounts
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

/** Notes at the end of a run which named account read what, and which failed. */
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
