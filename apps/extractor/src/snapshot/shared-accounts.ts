import { type Account, type Context, clientOptions } from '@collab-etl/cli'
import { DEFAULT_ACCOUNT } from '@collab-etl/contract'
import { type Client, type ClientOptions, intervalOf, isSignInError } from '@collab-etl/core'
import type { Schedule } from '@collab-etl/warehouse'
import { isMarkOf, marksOf } from './token-mark.ts'

/** An account of a run, by which each of its processes finds its own. */
export interface SharedAccount {
  readonly name: string
  /** Its token and sign-in as `marksOf` hashes them. */
  readonly marks: readonly string[]
  /** The user of its token; `null`: the service did not say. */
  readonly uid: string | null
  /** Whether its requests follow a schedule of its own. */
  readonly isPaced: boolean
}

/** The accounts that a run uses: those that have not failed until it is planned. */
export async function sharedAccounts(context: Context, client: Client): Promise<SharedAccount[]> {
  const shared: SharedAccount[] = []
  for (const { name, tokens, ratePerSecond } of await context.accounts()) {
    if (client.accounts.failures.has(name)) continue
    try {
      const isPaced = ratePerSecond !== undefined || context.settings.limitedPer === 'account'
      shared.push({ name, marks: await marksOf(tokens), uid: client.accounts.owners.get(name)?.uid ?? null, isPaced })
    } catch (error) {
      if (name === DEFAULT_ACCOUNT || !isSignInError(error)) throw error
      client.accounts.noteElsewhere(name, error.message) // what only it sees is carried
    }
  }
  return shared
}

/** The accounts of a run, as this process has them. */
export interface OwnAccounts {
  /** Those with which it reads, in the order of the run. */
  readonly accounts: readonly Account[]
  /** Those whose token it does not have, with the reason why it cannot be read; `null`: none is set. */
  readonly lacking: ReadonlyMap<string, string | null>
  /** Those of which it has another token: what another user may not see would count as deleted. */
  readonly differing: readonly string[]
}

export async function ownAccounts(
  context: Context,
  { accounts: shared }: { readonly accounts: readonly SharedAccount[] },
): Promise<OwnAccounts> {
  const found = await context.accounts()
  const accounts: Account[] = []
  const lacking = new Map<string, string | null>()
  const differing: string[] = []
  for (const { name, marks } of shared) {
    const own = found.find((account) => account.name === name)
    try {
      if (own === undefined) lacking.set(name, null)
      else if (await isMarkOf(marks, own.tokens)) accounts.push(own)
      else differing.push(name)
    } catch (error) {
      if (own?.failure === undefined && (name === DEFAULT_ACCOUNT || !isSignInError(error))) throw error
      lacking.set(name, error instanceof Error ? error.message : String(error))
    }
  }
  return { accounts, lacking, differing }
}

/** The account in a sentence about its token. */
export const ofAccount = (name: string) => (name === DEFAULT_ACCOUNT ? '' : ` of account ${name}`)

interface Sharing {
  readonly schedule: Schedule
  /** Those of this process; default: all. */
  readonly accounts?: readonly Account[] | undefined
  /** Those of the run that another process plans. */
  readonly shared?: readonly SharedAccount[] | undefined
  /** Whether this process decides the rate of an account: of all, or of those to which it gives one. */
  readonly decides: 'all' | 'given' | 'none'
}

/** Options of a client that starts its requests when the other processes of the run let it, also those of each account. */
export async function sharingOptions(
  context: Context,
  { schedule, accounts, shared = [], decides }: Sharing,
): Promise<ClientOptions> {
  const options = await clientOptions(context, { accounts })
  if (options.accounts === undefined) return { ...options, schedule }
  const isPaced = options.limitedPer === 'account'
  const paced = options.accounts.map(async (account) => {
    const { name, ratePerSecond } = account
    const isOfAll = decides === 'all' || (decides === 'given' && ratePerSecond !== undefined)
    const own = await schedule.ofAccount(name, { intervalMs: intervalOf(ratePerSecond), isOfAll })
    const isOfRun = shared.some((of) => of.name === name && of.isPaced)
    return isPaced || isOfRun || ratePerSecond !== undefined ? { ...account, schedule: own } : account
  })
  return { ...options, schedule, accounts: await Promise.all(paced) }
}
