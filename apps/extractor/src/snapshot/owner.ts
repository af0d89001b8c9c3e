import { plainText, UsageError } from '@collab-etl/cli'
import { type Account, DEFAULT_ACCOUNT } from '@collab-etl/contract'
import { type Client, isAuthError, isCollabError, type ProjectToRead } from '@collab-etl/core'
import { ownerOf, type ProjectAccount, type Run, type Warehouse } from '@collab-etl/warehouse'
import { ownerText } from '../show/run-log.ts'
import type { RunDocument } from './run-document.ts'

/**
 * Refuses a token of another user than that of the last run: what one user sees is not what another sees.
 * @param owner the token's user; `null` if the service does not say whose token it is
 * @throws UsageError before anything is read
 */
export async function requireSameOwner(
  warehouse: Warehouse,
  owner: Account | null,
  { baseUrl, acceptsAccount }: { readonly baseUrl: string; readonly acceptsAccount: boolean },
): Promise<void> {
  if (owner === null || acceptsAccount) return
  const last = (await warehouse.log.lastAccounts(baseUrl)).get(DEFAULT_ACCOUNT)
  if (last === undefined || last.uid === owner.uid) return
  throw new UsageError(
    `the token belongs to ${ownerText(owner)}, that of the last run to ${ownerText(last)}, who may see other projects: use that user's token, or give --accept-account`,
  )
}

/** Notes in a run the one account, and which projects it listed. */
export async function noteOwner(run: Run, owner: Account | null, listed: readonly ProjectToRead[]): Promise<void> {
  const { uid = null, name = null } = owner ?? {}
  const account = DEFAULT_ACCOUNT
  await run.noteAccounts([{ account, uid, name, projects: listed.length, read: null, error: null, offered: null }])
  await run.noteProjectAccounts(listed.flatMap((project) => seenBy(account, project)))
}

/** The one account of a run; `null`: it is not known, or cannot be read now. */
export async function ownerOfRun(warehouse: Warehouse, runId: string): Promise<Account | null> {
  return ownerOf(await warehouse.log.accountsOf(runId).catch(() => null))
}

/** A project as the list of an account shows it; nothing if it does not list it. */
function seenBy(account: string, { pid, listed }: ProjectToRead): ProjectAccount[] {
  if (listed === null) return []
  const { is_star: star, pos: position, curr_role, permission } = listed
  const is_starred = star === 0 || star === 1 ? star === 1 : null
  return [{ pid, account, curr_role, permission, is_starred, position }]
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
