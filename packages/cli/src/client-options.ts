import type { Context } from './command.ts'
import { UsageError } from './errors.ts'
import type { Secret } from './secret.ts'
import type { Settings } from './settings/resolve.ts'

/** An event of the client of `@collab-etl/core`, as far as it is logged here. */
interface ServiceEvent {
  readonly type: string
  readonly operation: string
  readonly message?: string
  readonly isDeparture?: boolean
}

/**
 * The settings of the service as options of `createClient` of `@collab-etl/core`. The client's events go to the log: retries
 * as warnings, unless a terminal shows their number; departures from the documented interface at info; everything else at debug.
 * @param tokenIn how the token travels; default: the setting
 * @throws UsageError if the address or the token is not set
 * @example
 * const client = createClient(clientOptions(context))
 */
export function clientOptions({ settings, log, signal, progress }: Context, tokenIn = settings.tokenIn) {
  const { baseUrl, token } = requireService(settings)
  const { body, ca, concurrency, ratePerSecond, timeoutSeconds, retries, rateLimitCodes, eventsWindow } = settings
  return {
    baseUrl,
    token: token.reveal(),
    tokenIn,
    body,
    ca: ca?.pem,
    signal,
    concurrency,
    ratePerSecond,
    timeoutSeconds,
    retries,
    rateLimitCodes,
    eventsWindow,
    onEvent: (event: ServiceEvent) => logEvent(log, event, progress.isShown),
  }
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

/** The service's address and token, which have no default. */
export function requireService(settings: Settings): { readonly baseUrl: string; readonly token: Secret } {
  const { baseUrl, token } = settings
  if (baseUrl === undefined) {
    throw new UsageError('the address of the service is not set: give --base-url URL or set COLLAB_BASE_URL')
  }
  if (token === undefined) {
    throw new UsageError('no access token is set: set COLLAB_TOKEN, or give --token-file FILE')
  }
  return { baseUrl, token }
}
