import { type Context, clientOptions, EXIT, formatDuration, formatNumber, hasToken, shellQuoted } from '@collab-etl/cli'
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

/** Checks token and service with the one request that needs no other id. */
export async function checkService(context: Context): Promise<CheckOutcome[]> {
  const { baseUrl } = context.settings
  const isSet = hasToken(context.settings)
  const missing = [
    ...(isSet ? [] : [failed('token', EXIT.usage, 'not set', 'Set COLLAB_TOKEN, or give --token-file FILE')]),
    ...(baseUrl ? [] : [failed('service', EXIT.usage, 'no address', 'Give --base-url URL, or set COLLAB_BASE_URL')]),
  ]
  if (missing.length > 0) {
    const rest = [
      ...(isSet ? [unknown('token', 'set, not tried')] : []),
      ...(baseUrl ? [unknown('service', `${baseUrl} was not tried`)] : []),
    ]
    return [...missing, ...rest].sort((a, b) => (a.check.name === 'token' ? -1 : b.check.name === 'token' ? 1 : 0))
  }
  return await tryService(context, baseUrl ?? '')
}

async function tryService(context: Context, baseUrl: string): Promise<CheckOutcome[]> {
  let client: Client | undefined
  try {
    client = createClient(await clientOptions(context))
    const begun = performance.now()
    const projects = await client.projects.list()
    const took = formatDuration(performance.now() - begun)
    const seen = formatNumber(projects.length, 'project')
    return [
      ok('token', 'accepted'),
      ok(
        'service',
        `${baseUrl} answered in ${took} and lists ${seen}`,
        projects.length === 0 ? 'Is it the token of the right user?' : null,
      ),
    ]
  } catch (error) {
    context.signal.throwIfAborted()
    const known = toCliError(error)
    if (known === undefined) throw error
    if (isSignInError(error)) {
      const advice = 'docs/token-and-ids.md says how to get a token and how it is kept'
      return [failed('token', known.exitCode, known.message, advice), unknown('service', `${baseUrl} was not tried`)]
    }
    if (isAuthError(error)) {
      const { message, advice } = await refusal(context, error)
      return [failed('token', known.exitCode, message, advice), ok('service', `${baseUrl} answers`)]
    }
    const advice = `To test the address: curl -i ${shellQuoted(`${baseUrl}/v1/projects`)}`
    return [unknown('token', 'set, not tried'), failed('service', known.exitCode, known.message, advice)]
  } finally {
    await client?.close()
  }
}

/** The two ways of sending the token, each with its name and the other way. */
const WAYS = {
  header: { place: 'in the header access_token', other: 'query' },
  query: { place: 'in the query string', other: 'header' },
} as const

/** "access_token incorrect" (docs/service-api.md#errors): the token arrived, so sending it the other way changes nothing. */
const TOKEN_INCORRECT = 100006

/**
 * Why the token was refused, and what to do. If the service does not say that it is incorrect, it may have been lost on the way:
 * proxies drop headers with an underscore. Then the other way is tried once.
 */
async function refusal(context: Context, error: CollabError): Promise<{ message: string; advice: string }> {
  const advice = 'Get a new token and set COLLAB_TOKEN, or the file of --token-file'
  if (isApiError(error, TOKEN_INCORRECT)) return { message: `refused: ${reasonOf(error)}`, advice }
  const { place, other } = WAYS[context.settings.tokenIn]
  const message = `refused ${place}: ${reasonOf(error)}`
  const otherError = await tryOtherWay(context, other)
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
async function tryOtherWay(context: Context, tokenIn: 'header' | 'query'): Promise<CollabError | null> {
  const client = createClient(await clientOptions(context, { tokenIn }))
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
