import { type Context, EXIT, formatDuration, formatNumber, shellQuoted } from '@collab-etl/cli'
import { isAuthError } from '@collab-etl/core'
import { connectService } from '../connect/service.ts'
import { toCliError } from '../errors.ts'
import { type CheckOutcome, failed, ok, unknown } from './check.ts'

/** Looks at token and service with the one request that needs neither project nor anything else. */
export async function checkService(context: Context): Promise<CheckOutcome[]> {
  const { baseUrl, token } = context.settings
  const missing = [
    ...(token ? [] : [failed('token', EXIT.usage, 'not set', 'Set COLLAB_TOKEN, or give --token-file FILE')]),
    ...(baseUrl ? [] : [failed('service', EXIT.usage, 'no address', 'Give --base-url URL, or set COLLAB_BASE_URL')]),
  ]
  if (missing.length > 0) {
    const rest = [
      ...(token ? [unknown('token', 'set, not tried')] : []),
      ...(baseUrl ? [unknown('service', `${baseUrl} was not tried`)] : []),
    ]
    return [...missing, ...rest].sort((a, b) => (a.check.name === 'token' ? -1 : b.check.name === 'token' ? 1 : 0))
  }
  return await tryService(context, baseUrl ?? '')
}

async function tryService(context: Context, baseUrl: string): Promise<CheckOutcome[]> {
  const client = connectService(context)
  const begun = performance.now()
  try {
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
    if (isAuthError(error)) {
      const advice = 'Get a new token and set COLLAB_TOKEN, or the file of --token-file'
      return [
        failed('token', known.exitCode, `refused: ${error.meaning} (${error.code})`, advice),
        ok('service', `${baseUrl} answers`),
      ]
    }
    const advice = `Check --base-url, and whether the service answers: curl -i ${shellQuoted(`${baseUrl}/v1/projects`)}`
    return [unknown('token', 'set, not tried'), failed('service', known.exitCode, known.message, advice)]
  } finally {
    await client.close()
  }
}
