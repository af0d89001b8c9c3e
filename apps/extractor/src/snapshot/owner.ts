import { plainText, UsageError } from '@collab-etl/cli'
import { type Account, DEFAULT_ACCOUNT } from '@collab-etl/contract'
import { type Client, isAuthError, isCollabError } from '@collab-etl/core'
import type { Warehouse } from '@collab-etl/warehouse'
import { ownerText } from '../show/run-log.ts'
import type { RunDocument } from './run-document.ts'

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
    const whose = account === DEFAULT_ACCOUNT ? 'the token' : `the token of account ${account}`
    throw new UsageError(
      `${whose} belongs to ${ownerText(owner)}, that of the last run to ${ownerText(last)}, who may see other projects: use that user's token, or give --accept-account`,
    )
  }
}

/**
 * Refuses a token of another user than that of a run which this process joins or takes over: on another machine, the same path or command can
 * lead to another account.
 * @throws UsageError before anything is read
 */
export async function requireOwnerOfRun(
  client: Client,
  { ownerUid }: Pick<RunDocument, 'ownerUid'>,
  signal: AbortSignal,
): Promise<void> {
  if (ownerUid === null) return
  const uid = await ownUid(client, signal)
  if (uid === null || uid === ownerUid) return
  throw new UsageError(
    `the token belongs to user ${plainText(uid)}, that of the run to ${plainText(ownerUid)}: use that user's token`,
  )
}

/** The user of this process's token; `null`: the service does not say now. */
async function ownUid(client: Client, signal: AbortSignal): Promise<string | null> {
  try {
    return (await client.profile.get({}, { signal })).uid
  } catch (error) {
    if (signal.aborted || isAuthError(error) || !isCollabError(error)) throw error
    return null
  }
}
