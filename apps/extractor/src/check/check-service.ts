import { type Context, EXIT, formatNumber, hasToken } from '@collab-etl/cli'
import { type Check, type CheckOutcome, failed, ok, unknown } from './check.ts'
import { type Tried, tryService } from './try-service.ts'

/** Checks the service and the token, or every account's token. */
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
  const { accounts } = context.settings
  if (accounts !== undefined) return await checkAccounts(context, baseUrl ?? '')
  const { token, service, pids } = await tryService(context, baseUrl ?? '')
  return [
    token,
    pids === null ? service : ok('service', `${service.check.message} and lists ${numberOf(pids)}`, adviceOn(pids)),
  ]
}

const numberOf = (pids: readonly string[]) => formatNumber(pids.length, 'project')

const adviceOn = (pids: readonly string[]) => (pids.length === 0 ? 'Is it the token of the right user?' : null)

interface TriedAccount extends Tried {
  readonly name: string
}

/**
 * One line for the token of each account, and one for the service. If all accounts fail in the same way, that gives the exit code; if only some
 * fail, the check is partial, as a snapshot would be.
 */
async function checkAccounts(context: Context, baseUrl: string): Promise<CheckOutcome[]> {
  const accounts = await context.accounts()
  const tried: readonly TriedAccount[] = await Promise.all(
    accounts.map(async (account) => ({ name: account.name, ...(await tryService(context, baseUrl, account)) })),
  )
  const services = tried.map(({ service }) => service)
  const ofStatus = (wanted: Check['status']) => services.find(({ check }) => check.status === wanted)
  const service = ofStatus('ok') ?? ofStatus('failed') ?? services[0] ?? unknown('service', 'was not tried')
  const codes = new Set(tried.map((of) => of.token.exitCode || of.service.exitCode))
  const lines = tried.map((of) => {
    const isLost = of.service.exitCode !== EXIT.ok && service.exitCode === EXIT.ok
    const { check, exitCode } = of.pids === null ? (isLost ? of.service : of.token) : listed(of, of.pids, tried)
    return {
      check: { ...check, name: 'token', account: of.name, message: `${of.name}: ${check.message}` } as const,
      exitCode: exitCode === EXIT.ok || codes.size === 1 ? exitCode : EXIT.partial,
    }
  })
  return [...lines, service]
}

/** An account that is accepted: what it lists, and what it alone lists. */
function listed({ name, token }: TriedAccount, pids: readonly string[], tried: readonly TriedAccount[]): CheckOutcome {
  const others = tried.filter((other) => other.name !== name)
  const isKnown = others.length > 0 && others.every((other) => other.pids !== null)
  const known = new Set(others.flatMap((other) => other.pids ?? []))
  const alone = pids.filter((pid) => !known.has(pid)).length
  const only = isKnown && alone > 0 ? `; no other account lists ${alone} of them` : ''
  return ok('token', `${token.check.message}; lists ${numberOf(pids)}${only}`, adviceOn(pids))
}
