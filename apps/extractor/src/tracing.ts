import type { Context } from '@collab-etl/cli'
import { withTraces } from '@collab-etl/observability/traces'

/** Runs work, whose spans are sent to the collector that `OTEL_EXPORTER_OTLP_ENDPOINT` names. Spans that cannot be sent are a warning. */
export async function tracing<T>({ name, version, log }: Context, work: () => Promise<T>): Promise<T> {
  return await withTraces({ service: name, version, onFailure: (message) => log.warn(message) }, work)
}
