import { type Attributes, type Context, context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  type CollectorRoute,
  DEADLINE_MS,
  type Environment,
  exporterOptions,
  isExporting,
  limitCollectorRequests,
} from './collector.ts'

/** Whose spans are sent, and who is warned. */
export interface TraceOptions {
  /** `service.name`. */
  readonly service: string
  /** `service.version`. */
  readonly version: string
  /** How the collector is reached. */
  readonly route?: CollectorRoute
  /** Called at the end if spans could not be sent. */
  readonly onFailure: (message: string) => void
  /** Default: that of the process. */
  readonly env?: Environment
}

/** Name of the instrumentation. */
const TRACER = '@collab-etl/observability'

/**
 * Runs work, whose spans are sent to an OpenTelemetry collector if `OTEL_EXPORTER_OTLP_ENDPOINT` is set. They continue the trace of
 * `TRACEPARENT` (W3C) if it is set. Otherwise no SDK is loaded, and spans cost nothing. The collector cannot make the work fail.
 */
export async function withTraces<T>(options: TraceOptions, work: () => Promise<T>): Promise<T> {
  const { env = process.env, onFailure } = options
  if (!isExporting('TRACES', env)) return await work()
  const traces = await startTraces(options).catch((error: unknown) => {
    onFailure(`no traces are sent: ${error instanceof Error ? error.message : String(error)}`)
    return null
  })
  try {
    return await continueTrace(env['TRACEPARENT'], work)
  } finally {
    const failure = await traces?.end()
    if (failure) onFailure(failure)
  }
}

/** Adds attributes to a span, and whether its work failed. */
export type NoteResult = (attributes: Attributes, hasFailed: boolean) => void

/** Runs work in a span. An error is recorded by its name and thrown. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: (note: NoteResult) => Promise<T>,
): Promise<T> {
  return await trace.getTracer(TRACER).startActiveSpan(name, { attributes }, async (span) => {
    try {
      return await work((result, hasFailed) => {
        span.setAttributes(result)
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
      })
    } catch (error) {
      // its message may be of any library
      span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** The present span as `TRACEPARENT` for another process; `null` without a trace. */
export function traceparent(): string | null {
  const span = trace.getActiveSpan()?.spanContext()
  if (span === undefined || !trace.isSpanContextValid(span)) return null
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

/** Runs work whose spans continue a trace of another process. An invalid or missing `parent` has no effect. */
export function continueTrace<T>(parent: string | null | undefined, work: () => T): T {
  const [, traceId = '', spanId = '', flags = ''] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/.exec(parent ?? '') ?? []
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }
  const of: Context = trace.isSpanContextValid(span) ? trace.setSpanContext(ROOT_CONTEXT, span) : context.active()
  return context.with(of, work)
}

/** Milliseconds for one request to the collector: a longer one would outlive the deadline and keep the process alive. */
function timeoutOf(env: Environment): number {
  const given = [env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'], env['OTEL_EXPORTER_OTLP_TIMEOUT']].map(Number)
  return Math.min(DEADLINE_MS, given.find((milliseconds) => milliseconds > 0) ?? DEADLINE_MS)
}

interface Traces {
  /** Sends the last spans, for at most `DEADLINE_MS`. @returns what could not be sent; `null`: all was */
  end(): Promise<string | null>
}

/** Registers the SDK. `null` if the program runs with one of its own, which gets the spans then. */
async function startTraces({ service, version, route = {}, env = process.env }: TraceOptions): Promise<Traces | null> {
  const [sdk, { resourceFromAttributes }, { AsyncLocalStorageContextManager }, { OTLPTraceExporter }] =
    await Promise.all([
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ])
  limitCollectorRequests()
  let ended = 0
  let sent = 0
  const exporter = new OTLPTraceExporter({ ...exporterOptions(route, env), timeoutMillis: timeoutOf(env) })
  const send = exporter.export.bind(exporter)
  exporter.export = (spans, done) =>
    send(spans, (result) => {
      if (result.error === undefined) sent += spans.length
      done(result)
    })
  /** Also counts the spans that a full queue drops. */
  class Counting extends sdk.BatchSpanProcessor {
    override onEnd(...of: Parameters<InstanceType<typeof sdk.BatchSpanProcessor>['onEnd']>): void {
      if (of[0].spanContext().traceFlags & 1) ended += 1
      super.onEnd(...of)
    }
  }
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.version': version }),
    spanProcessors: [new Counting({ exporter, exportTimeoutMillis: DEADLINE_MS })],
  })
  if (!trace.setGlobalTracerProvider(provider)) return null
  const isContextOwn = context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return {
    end: async () => {
      const deadline = Promise.withResolvers<void>()
      const timer = setTimeout(deadline.resolve, DEADLINE_MS)
      await Promise.race([provider.shutdown().catch(() => {}), deadline.promise]) // what was not sent is counted
      clearTimeout(timer)
      trace.disable()
      if (isContextOwn) context.disable()
      return sent === ended ? null : `${ended - sent} of ${ended} spans could not be sent to the collector`
    },
  }
}
