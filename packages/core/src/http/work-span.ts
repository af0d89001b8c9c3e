import type { Operation } from '@collab-etl/contract'
import { type Attributes, type Context, context, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { CollabError } from '../errors/collab-error.ts'
import type { ServiceRequest } from './request.ts'

const TRACER = '@collab-etl/core'

/**
 * An OpenTelemetry span of a piece of work. It records nothing unless the program has registered an SDK. Attributes hold ids and counts:
 * no address with a query, no token, no content of records.
 */
export class WorkSpan {
  readonly #span: Span
  readonly #context: Context

  constructor(name: string, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL) {
    // requested each time, because a program may register its SDK later
    this.#span = trace.getTracer(TRACER).startSpan(name, { attributes, kind })
    this.#context = trace.setSpan(context.active(), this.#span)
  }

  /** Runs work, whose spans become children of this one. */
  within<T>(work: () => T): T {
    return context.with(this.#context, work)
  }

  /** Runs work within the span and ends it. An error is recorded and thrown. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await this.within(work)
    } catch (error) {
      this.fail(error)
      throw error
    } finally {
      this.end()
    }
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes)
  }

  event(name: string, attributes: Attributes): void {
    this.#span.addEvent(name, attributes)
  }

  /** Records a failure. Only messages of our own errors are recorded, as these never contain the token. */
  fail(error: unknown): void {
    if (error instanceof CollabError) this.failWith({ code: error.errorCode, message: error.message })
    else this.failWith({ code: error instanceof Error ? error.name : 'unknown' })
  }

  failWith({ code, message }: { readonly code: string; readonly message?: string }): void {
    this.#span.setAttribute('error.type', code)
    this.#span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }

  end(): void {
    this.#span.end()
  }
}

/** The span of one call of an operation, from the wait for its turn to the end of the last attempt. */
export function requestSpan(operation: Operation, { method }: ServiceRequest, host: string): WorkSpan {
  return new WorkSpan(
    operation.id,
    { 'http.request.method': method, 'server.address': host, 'collab.operation': operation.id },
    SpanKind.CLIENT,
  )
}
