import { UsageError } from '@collab-etl/cli'
import type { Owner } from '@collab-etl/core'
import type { Warehouse } from '@collab-etl/warehouse'
import { ownerText } from '../show/run-log.ts'

/**
 * Refuses a token of another user than that of the last run: what one user sees is not what another sees.
 * @param owner the token's user; `null` if the service does not say whose token it is
 * @throws UsageError before anything is read
 */
export async function requireSameOwner(
  warehouse: Warehouse,
  owner: Owner | null,
  { baseUrl, acceptsAccount }: { readonly baseUrl: string; readonly acceptsAccount: boolean },
): Promise<void> {
  if (owner === null || acceptsAccount) return
  const last = await warehouse.log.lastAccount(baseUrl)
  if (last === null || last.uid === owner.uid) return
  throw new UsageError(
    `the token belongs to ${ownerText(owner)}, that of the last run to ${ownerText(last)}, who may see other projects: use that user's token, or give --accept-account`,
  )
}
