/** Events of a client for its `onEvent` hook, for logs and counts. None of them contains the token. */
export type ClientEvent = RequestEvent | ResponseEvent | RetryEvent | FailoverEvent | PauseEvent | FindingEvent

export interface AttemptEvent {
  /** Dotted id of the operation, e.g. `tasks.archived.list`. */
  readonly operation: string
  /** Number of the call, from 1; the same for all its attempts. */
  readonly call: number
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Name of the account that asks; absent if there is only one. */
  readonly account?: string
}

/** A request is about to be sent. */
export interface RequestEvent extends AttemptEvent {
  readonly type: 'request'
}

/** An attempt succeeded: its body was read to the end. */
export interface ResponseEvent extends AttemptEvent {
  readonly type: 'response'
  readonly status: number
  /** Bytes of the body over the wire. */
  readonly bytes: number
  readonly durationMs: number
}

/** An attempt failed and is going to be retried. */
export interface RetryEvent extends AttemptEvent {
  readonly type: 'retry'
  readonly delayMs: number
  /** `errorCode` and message of the failure. */
  readonly errorCode: string
  readonly message: string
}

/** An account could not answer, and the next one is asked. */
export interface FailoverEvent extends AttemptEvent {
  readonly type: 'failover'
  /** Name of the account that is asked next. */
  readonly next: string
  /** `errorCode` and message of the failure. */
  readonly errorCode: string
  readonly message: string
}

/** The client learned something about the service; each finding is emitted once. */
export interface FindingEvent {
  readonly type: 'finding'
  /** Dotted id of the operation that it concerns. */
  readonly operation: string
  readonly message: string
  /** Whether the service departs from its documented interface. */
  readonly isDeparture: boolean
}

/** The service asked for a pause (a rate limit with `Retry-After`): no request of the client starts before it is over. */
export interface PauseEvent extends AttemptEvent {
  readonly type: 'pause'
  readonly delayMs: number
}

/** Counters of requests; a caller may pass its own object to count its share. */
export interface RequestStats {
  /** Requests sent, retries included. */
  requests: number
  /** Requests sent again after a failure. */
  retries: number
  /** Bytes of bodies received, as they came over the wire (compressed if the service compressed them). */
  bytes: number
}

export function newStats(): RequestStats {
  return { requests: 0, retries: 0, bytes: 0 }
}
