/** Counters of requests; a caller may pass its own object to count its share. */
export interface RequestStats {
  /** Requests sent, retries included. */
  requests: number
  /** Requests sent again after a failure. */
  retries: number
  /** Bytes of bodies received, as they came over the wire (compressed if the service compressed them). */
  bytes: number
}

/** Counters at zero. */
export function newStats(): RequestStats {
  return { requests: 0, retries: 0, bytes: 0 }
}
