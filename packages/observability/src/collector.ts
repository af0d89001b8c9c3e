import { subscribe } from 'node:diagnostics_channel'
import { getCACertificates } from 'node:tls'

/** Time limit for sending spans or metrics to the collector, in milliseconds. */
export const DEADLINE_MS = 10_000

/** Variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Whether spans or metrics are sent, as OpenTelemetry defines these variables. */
export function isExporting(signal: 'TRACES' | 'METRICS', env: Environment = process.env): boolean {
  const isOff = env['OTEL_SDK_DISABLED'] === 'true' || env[`OTEL_${signal}_EXPORTER`] === 'none'
  return !isOff && (env['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? '') !== ''
}

/** How a collector is reached. */
export interface CollectorRoute {
  /** Further certificate authorities, in PEM. */
  readonly ca?: string | undefined
  /** Addresses of proxies for https (default: that for http) and for http, and hosts that are reached without one, as in `NO_PROXY`. */
  readonly proxy?:
    | { readonly https?: string | undefined; readonly http?: string | undefined; readonly except: string }
    | undefined
}

/**
 * Options of OpenTelemetry's exporters for a route; none without one, or if a variable of OpenTelemetry names authorities of its own. Proxies
 * need Node 22.21 or newer.
 */
export function exporterOptions({ ca, proxy }: CollectorRoute, env: Environment = process.env) {
  const hasOwnTrusted = Object.keys(env).some((name) => /^OTEL_EXPORTER_OTLP_.*CERTIFICATE$/.test(name))
  if (hasOwnTrusted || (ca === undefined && proxy === undefined)) return {}
  const { https = proxy?.http, http, except = '' } = proxy ?? {}
  const proxyEnv = { HTTPS_PROXY: https, HTTP_PROXY: http, NO_PROXY: `localhost,127.0.0.1,[::1],${except}` }
  const trusted = ca === undefined ? {} : { ca: [...getCACertificates('default'), ca] }
  return { httpAgentOptions: { keepAlive: true, proxyEnv, ...trusted } }
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
