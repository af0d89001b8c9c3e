import { type Context, clientOptions, formatTable, hasToken } from '@collab-etl/cli'
import { OBSERVED_READINGS } from '@collab-etl/contract'
import { createClient, isCollabError, listProjects, type Offered, tryAllOperations } from '@collab-etl/core'

/** An operation that the service does not document. */
export interface OfferReport {
  readonly operation: string
  readonly request: string
  /** `null`: unknown, because nothing was at hand to try it with, or its answer says nothing. */
  readonly offered: boolean | null
  readonly gives: string
}

/** Tries out what the service offers beyond its documentation; `null` if the service cannot be read, which other checks report. */
export async function checkOffers(context: Context): Promise<readonly OfferReport[] | null> {
  const { baseUrl, extended } = context.settings
  if (baseUrl === undefined || !hasToken(context.settings) || extended === 'off') return null
  const client = createClient({ ...(await clientOptions(context)), offered: {} })
  try {
    const { projects } = await listProjects(client, context)
    await tryAllOperations(client, projects, context)
    return reports(client.capabilities.found)
  } catch (error) {
    context.signal.throwIfAborted()
    if (isCollabError(error)) return null
    throw error
  } finally {
    await client.close()
  }
}

function reports(found: Offered): OfferReport[] {
  return OBSERVED_READINGS.map(({ id, method, path, summary }) => {
    return { operation: id, request: `${method} ${path}`, offered: found[id] ?? null, gives: summary }
  })
}

export function offersTable(offers: readonly OfferReport[], width: number | undefined): string {
  const word = (offered: boolean | null) => (offered === null ? 'unknown' : offered ? 'offered' : 'not offered')
  const rows = offers.map(({ request, offered, gives }) => [request, word(offered), gives])
  return formatTable(['observed operation', 'state', 'gives'], rows, { width })
}
