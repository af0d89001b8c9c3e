import { subscribe } from 'node:diagnostics_channel'

/** Time limit for sending spans or metrics to the collector, in milliseconds. */
export const DEADLINE_MS = 10_000

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Whether spans or metrics are sent, as OpenTelemetry defines these variables. */
export function isExporting(signal: 'TRACES' | 'METRICS', env: Environment = process.env): boolean {
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env[`OTEL_${signal}_EXPORTER`] === 'none'
  return !isOff && (env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== ''
}

/** How the exporters of OpenTelemetry name themselves. */
const EXPORTER = 'OTel-OTLP-Exporter'

/** What is used of Node's `ClientRequest`. */
interface ClientRequest {
  getHeader(name: string): unknown
  destroy(): void
  once(event: 'close', listener: () => void): void
}

let isLimiting = false

/**
 * From now on, ends requests of OpenTelemetry's exporters after `DEADLINE_MS`. Their own timeout only limits silence: an answer that arrives
 * byte by byte would keep the process alive for ever.
 */
export function limitCollectorRequests(): void {
  if (isLimiting) return
  isLimiting = true
  subscribe('http.client.request.start', (message) => {
    const { request } = message as { readonly request: ClientRequest } // so Node documents the channel
    if (!String(request.getHeader('user-agent')).includes(EXPORTER)) return
    const timer = setTimeout(() => request.destroy(), DEADLINE_MS).unref()
    request.once('close', () => clearTimeout(timer))
  })
}
