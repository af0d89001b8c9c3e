import { replaceFile } from '@collab-etl/lock'
import type { MetricReader } from '@opentelemetry/sdk-metrics'
import { type CollectorRoute, DEADLINE_MS, exporterOptions, limitCollectorRequests } from './collector.ts'
import { type MetricFacts, recordMetrics } from './metrics.ts'

/** Where metrics go. */
export interface MetricTargets {
  /** A file for the textfile collector of the Prometheus node exporter. */
  readonly file?: string | undefined
  /** Whether they are sent to an OpenTelemetry collector, configured by the variables `OTEL_EXPORTER_OTLP_…`. */
  readonly toCollector: boolean
  /** How the collector is reached. */
  readonly route?: CollectorRoute
  /** `service.version`. */
  readonly version: string
}

/** Exports the metrics of a night. @returns what failed and why, in a few words each; empty if all went well */
export async function exportMetrics(facts: MetricFacts, targets: MetricTargets): Promise<string[]> {
  const { file, toCollector } = targets
  if (file === undefined && !toCollector) return []
  // loaded only here, as most commands do not need it
  const [sdk, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('@opentelemetry/resources'),
  ])
  /** Collects only when `collect` is called. */
  class OnDemand extends sdk.MetricReader {
    protected override async onForceFlush(): Promise<void> {}
    protected override async onShutdown(): Promise<void> {}
  }
  const reader = new OnDemand()
  const failures: string[] = []
  const collector = toCollector
    ? [
        new sdk.PeriodicExportingMetricReader({
          exporter: await otlpExporter(failures, targets.route),
          exportIntervalMillis: 2 ** 31 - 1,
        }),
      ]
    : []
  const resource = resourceFromAttributes({ 'service.name': 'collab-nightly', 'service.version': targets.version })
  const provider = new sdk.MeterProvider({ resource, readers: [reader, ...collector] })
  recordMetrics(provider.getMeter('collab-etl', targets.version), facts)
  if (file !== undefined) {
    await replaceFile(file, await prometheusText(reader), 0o644).catch((error: unknown) => {
      failures.push(`the metrics file ${file} cannot be written (${codeOf(error)})`)
    })
  }
  await provider.shutdown({ timeoutMillis: DEADLINE_MS }).catch(() => failures.push(NOT_SENT))
  return [...new Set(failures)]
}

const NOT_SENT = 'the metrics could not be sent to the collector'

/** The exporter to the collector. It adds its failures to the list, as a reader does not report them. */
async function otlpExporter(failures: string[], route: CollectorRoute = {}) {
  const { OTLPMetricExporter } = await import('@opentelemetry/exporter-metrics-otlp-http')
  limitCollectorRequests()
  const exporter = new OTLPMetricExporter(exporterOptions(route))
  const send = exporter.export.bind(exporter)
  exporter.export = (metrics, done) =>
    send(metrics, (result) => {
      if (result.error !== undefined) failures.push(NOT_SENT)
      done(result)
    })
  return exporter
}

async function prometheusText(reader: MetricReader): Promise<string> {
  const { PrometheusSerializer } = await import('@opentelemetry/exporter-prometheus')
  // without times, and without labels of resource and scope, which would be on each value
  const serializer = new PrometheusSerializer('', false, undefined, true, true)
  const { resourceMetrics } = await reader.collect()
  return serializer.serialize(resourceMetrics)
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
