import { type Context, requireService } from '@collab-etl/cli'
import { type Client, type ClientEvent, createClient } from '@collab-etl/core'

/** A client of the service that the settings name. Its events go to the log: retries as warnings, requests at debug. */
export function connectService({ settings, log, signal }: Context): Client {
  const { baseUrl, token } = requireService(settings)
  const { tokenIn, body, ca, concurrency, ratePerSecond, timeoutSeconds, retries, rateLimitCodes } = settings
  const limits = { concurrency, ratePerSecond, timeoutSeconds, retries, rateLimitCodes }
  const client = createClient({
    ...{ baseUrl, token: token.reveal(), tokenIn, body, ca: ca?.pem, ...limits, signal },
    onEvent: (event) => logEvent(log, event),
  })
  client.findings.events.limit(settings.eventsWindow)
  return client
}

function logEvent(log: Context['log'], event: ClientEvent): void {
  if (event.type === 'finding') {
    const { operation, message, isDeparture } = event
    log[isDeparture ? 'info' : 'debug']({ operation }, `about the service: ${message}`)
    return
  }
  const { type, ...fields } = event
  if (type === 'retry') log.warn(fields, 'a request failed and is made again')
  else if (type === 'pause') log.warn(fields, 'the service asked for a pause')
  else log.debug(fields, type)
}
