import { type Context, revealProxy } from '@collab-etl/cli'
import { withTraces } from '@collab-etl/observability/traces'

/** Runs work, whose spans are sent to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. Spans that cannot be sent are a warning. */
export async function tracing<T>(context: Context, work: () => Promise<T>): Promise<T> {
  const { name, version, log, settings } = context
  const route = { ca: settings.ca?.pem, proxy: revealProxy(settings.proxy) }
  return await withTraces({ service: name, version, route, onFailure: (message) => log.warn(message) }, work)
}
