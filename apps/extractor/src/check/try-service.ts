import {
  type Account,
  CliError,
  type ClientChoice,
  type Context,
  clientOptions,
  formatDuration,
  shellQuoted,
} from '@collab-etl/cli'
import {
  type Client,
  type CollabError,
  createClient,
  isApiError,
  isAuthError,
  isCollabError,
  isSignInError,
} from '@collab-etl/core'
import { toCliError } from '../errors.ts'
import { type CheckOutcome, failed, ok, unknown } from './check.ts'

/** What a request of an account showed. */
export interface Tried {
  readonly token: CheckOutcome
  readonly service: CheckOutcome
  /** Ids of the projects that it lists; `null`: it could not list them. */
  readonly pids: readonly string[] | null
}

/**
 * Tries token and service with the one request that needs no other id.
 * @param account whose token; default: that of the account without a name
 */
export async function tryService(context: Context, baseUrl: string, account?: Account): Promise<Tried> {
  const choice = { accounts: account && [account] }
  let client: Client | undefined
  try {
    client = createClient(await clientOptions(context, choice))
    const begun = performance.now()
    const projects = await client.projects.list()
    const took = formatDuration(performance.now() - begun)
    return {
      token: ok('token', account ? `accepted${await ownerText(client, context)}` : 'accepted'),
      service: ok('service', `${baseUrl} answered in ${took}`),
      pids: projects.map(({ pid }) => pid),
    }
  } catch (error) {
    context.signal.throwIfAborted()
    const known = error instanceof CliError ? error : toCliError(error)
    if (known === undefined) throw error
    const { exitCode, message } = known
    if (isSignInError(error) || error instanceof CliError) {
      const advice = 'docs/start.md says how to get a token, docs/accounts.md how it is kept'
      const service = unknown('service', `${baseUrl} was not tried`)
      return { token: failed('token', exitCode, message, advice), service, pids: null }
    }
    if (isAuthError(error)) {
      const { message, advice } = await refusal(context, error, choice)
      return {
        token: failed('token', exitCode, message, advice),
        service: ok('service', `${baseUrl} answers`),
        pids: null,
      }
    }
    const advice = `To test the address: curl -i ${shellQuoted(`${baseUrl}/v1/projects`)}`
    return {
      token: unknown('token', 'set, not tried'),
      service: failed('service', exitCode, message, advice),
      pids: null,
    }
  } finally {
    await client?.close()
  }
}

/** Whose token it is, where the service says it. */
async function ownerText(client: Client, { settings, signal }: Context): Promise<string> {
  if (settings.extended === 'off') return ''
  try {
    const { uid, display_name: display, name } = await client.profile.get({}, { signal })
    return `, the token of ${display || name} (${uid})`
  } catch (error) {
    signal.throwIfAborted()
    if (isCollabError(error)) return ''
    throw error
  }
}

/** The two ways of sending the token, each with its name and the other way. */
const WAYS = {
  header: { place: 'in the header access_token', other: 'query' },
  query: { place: 'in the query string', other: 'header' },
} as const

/** "access_token incorrect" (docs/dev/service-api.md#errors): the token arrived, so sending it the other way changes nothing. */
const TOKEN_INCORRECT = 100006

/**
 * Why the token was refused, and what to do. If the service does not say that it is incorrect, it may have been lost on the way:
 * proxies drop headers with an underscore. Then the other way is tried once.
 */
async function refusal(
  context: Context,
  error: CollabError,
  choice: ClientChoice,
): Promise<{ message: string; advice: string }> {
  const [account] = choice.accounts ?? []
  const advice =
    account === undefined
      ? 'Get a new token and set COLLAB_TOKEN, or the file of --token-file'
      : `Renew its token, where accounts: in collab.yaml has it (a file: collab-extract login --account ${account.name})`
  if (isApiError(error, TOKEN_INCORRECT)) return { message: `refused: ${reasonOf(error)}`, advice }
  const { place, other } = WAYS[context.settings.tokenIn]
  const message = `refused ${place}: ${reasonOf(error)}`
  const otherError = await tryOtherWay(context, { ...choice, tokenIn: other })
  const otherPlace = WAYS[other].place
  if (otherError === null) {
    return {
      message: `${message}; accepted ${otherPlace}`,
      advice: `Set --token-in ${other} (COLLAB_TOKEN_IN=${other})`,
    }
  }
  const outcome = isAuthError(otherError) ? `refused ${otherPlace} too` : `the attempt ${otherPlace} failed`
  return { message: `${message}; ${outcome}: ${reasonOf(otherError)}`, advice }
}

/** @returns why it failed; `null` where it did not */
async function tryOtherWay(context: Context, choice: ClientChoice): Promise<CollabError | null> {
  const client = createClient(await clientOptions(context, choice))
  try {
    await client.projects.list()
    return null
  } catch (error) {
    context.signal.throwIfAborted()
    if (isCollabError(error)) return error
    throw error
  } finally {
    await client.close()
  }
}

function reasonOf(error: CollabError): string {
  return isApiError(error) ? `${error.meaning} (${error.code}, HTTP ${error.status})` : error.message
}
