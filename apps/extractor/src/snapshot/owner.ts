import { plainText, UsageError } from '@collab-etl/cli'
import type { Account } from '@collab-etl/contract'
import { type Client, isAuthError, isCollabError } from '@collab-etl/core'
import type { Warehouse } from '@collab-etl/warehouse'
import { ownerText } from '../show/run-log.ts'
import type { RunDocument } from './run-document.ts'
import { ofAccount } from './shared-accounts.ts'

/**
 * Refuses tokens of users other than those of the last run: each user sees different records.
 * @param owners the user of each account whose token the service identifies
 * @throws UsageError before anything is read
 */
export async function requireSameOwners(
  warehouse: Warehouse,
  owners: ReadonlyMap<string, Account>,
  { baseUrl, acceptsAccount }: { readonly baseUrl: string; readonly acceptsAccount: boolean },
): Promise<void> {
  if (owners.size === 0 || acceptsAccount) return
  const before = await warehouse.log.lastAccounts(baseUrl)
  for (const [account, owner] of owners) {
    const last = before.get(account)
    if (last === undefined || last.uid === owner.uid) continue
    throw new UsageError(
      `the token${ofAccount(account)} belongs to ${ownerText(owner)}, that of the last run to ${ownerText(last)}, who may see other projects: use that user's token, or give --accept-account`,
    )
  }
}

/**
 * Refuses tokens of other users than those of a run which this process joins or takes over: on another machine, the same path or command can
 * lead to another account.
 * @throws UsageError before anything is read
 */
export async function requireOwnersOfRun(
  client: Client,
  { accounts }: Pick<RunDocument, 'accounts'>,
  signal: AbortSignal,
): Promise<void> {
  for (const { name, uid } of accounts) {
    if (uid === null || !client.accounts.names.includes(name)) continue
    const own = await ownUid(client, name, signal, { endsAll: accounts.length === 1 })
    if (own === null || own === uid) continue
    throw new UsageError(
      `the token${ofAccount(name)} belongs to user ${plainText(own)}, that of the run to ${plainText(uid)}: use that user's token`,
    )
  }
}

/**
 * The user of a token of this process; `null`: the service does not say now.
 * @param endsAll whether this token is the only one: if it is refused, the run ends
 */
async function ownUid(
  client: Client,
  account: string,
  signal: AbortSignal,
  { endsAll }: { readonly endsAll: boolean },
): Promise<string | null> {
  try {
    return (await client.profile.get({}, { signal, account })).uid
  } catch (error) {
    if (signal.aborted || (endsAll && isAuthError(error)) || !isCollabError(error)) throw error
    return null
  }
}
