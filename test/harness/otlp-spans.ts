import type { Received } from './receiver.ts'

/** A span as a collector receives it. */
export interface Span {
  readonly service: string
  readonly traceId: string
  readonly spanId: string
  /** `undefined`: it is the first of its trace. */
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** Names of its events. */
  readonly events: readonly string[]
  readonly hasFailed: boolean
}

/** The fields of OTLP's JSON that are read. */
interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[]
  }[]
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface SentSpan extends Pick<Span, 'traceId' | 'spanId' | 'parentSpanId' | 'name'> {
  readonly attributes: readonly Attribute[]
  readonly events?: readonly { readonly name: string }[]
  readonly status?: { readonly code?: number }
}

/** The spans that a receiver got as a collector of OTLP over HTTP. */
export function spansOf(received: readonly Received[]): Span[] {
  return received
    .filter(({ path }) => path === '/v1/traces')
    .flatMap(({ body }) => (JSON.parse(body) as Sent).resourceSpans) // the exporter sends JSON
    .flatMap(({ resource, scopeSpans }) => {
      const service = String(valuesOf(resource.attributes)['service.name'])
      return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ service, span })))
    })
    .map(({ service, span: { traceId, spanId, parentSpanId, name, attributes, events = [], status } }) => ({
      service,
      traceId,
      spanId,
      parentSpanId: parentSpanId || undefined,
      name,
      attributes: valuesOf(attributes),
      events: events.map((event) => event.name),
      hasFailed: status?.code === 2,
    }))
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}

/** Names of a span and those above it, from the first of its trace: `run > project > stream tasks`. */
export function pathOf(span: Span, spans: readonly Span[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId)
  const above = parent === undefined ? (span.parentSpanId === undefined ? '' : '? > ') : `${pathOf(parent, spans)} > `
  return above + span.name
}
