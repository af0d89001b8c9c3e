import type { Context } from './command.ts'
import { revealProxy } from './settings/proxy.ts'
import { type Account, requireService } from './tokens.ts'

/** An event of the client of `@collab-etl/core`, as far as it is logged here. */
interface ServiceEvent {
  readonly type: string
  readonly operation: string
  readonly message?: string
  readonly isDeparture?: boolean
}

/** What differs from the settings. */
export interface ClientChoice {
  /** How the token travels. */
  readonly tokenIn?: Context['settings']['tokenIn']
  /** The accounts that are used. Default: all. */
  readonly accounts?: readonly Account[] | undefined
}

/**
 * The settings of the service as options of `createClient` of `@collab-etl/core`. The client's events go to the log: retries
 * as warnings, unless a terminal shows their number; departures from the documented interface at info; everything else at debug.
 * @throws UsageError if the address or the token is not set; errors of a token file or token command
 * @example
 * const client = createClient(await clientOptions(context))
 */
export async function clientOptions(context: Context, choice: ClientChoice = {}) {
  const { settings, log, signal, progress } = context
  const { baseUrl } = requireService(settings)
  const {
    body,
    ca,
    concurrency,
    ratePerSecond,
    timeoutSeconds,
    minBytesPerSecond,
    retries,
    rateLimitCodes,
    eventsWindow,
  } = settings
  return {
    baseUrl,
    ...whoReads(settings, choice.accounts ?? (await context.accounts())),
    tokenIn: choice.tokenIn ?? settings.tokenIn,
    limitedPer: settings.limitedPer,
    body,
    ca: ca?.pem,
    proxy: revealProxy(settings.proxy),
    signal,
    concurrency,
    ratePerSecond,
    timeoutSeconds,
    minBytesPerSecond,
    retries,
    rateLimitCodes,
    eventsWindow,
    onEvent: (event: ServiceEvent) => logEvent(log, event, progress.isShown),
  }
}

/** The unnamed account as a token, others with their names. @throws why no account has a token */
function whoReads(settings: Context['settings'], accounts: readonly Account[]) {
  if (accounts.every(({ failure }) => failure !== undefined)) throw accounts[0]?.failure
  const named = accounts.map(({ name, tokens, ratePerSecond }) => ({ name, token: tokens, ratePerSecond }))
  return settings.accounts === undefined
    ? { token: named[0]?.token, accounts: undefined }
    : { token: undefined, accounts: named }
}

/** @param isCounted whether a terminal shows the number of retries */
function logEvent(log: Context['log'], event: ServiceEvent, isCounted: boolean): void {
  const { type, ...fields } = event
  if (type === 'finding') {
    const { operation, message, isDeparture } = event
    log[isDeparture ? 'info' : 'debug']({ operation }, `about the service: ${message}`)
  } else if (type === 'retry') log[isCounted ? 'debug' : 'warn'](fields, 'a request failed and is sent again')
  else if (type === 'pause') log.debug(fields, 'the service asked for a pause')
  else log.debug(fields, type)
}
