/** A command for the night process. */
export interface NightOrder {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** State of the process after a run, after garbage collection. */
export interface NightReport {
  readonly exitCode: number
  readonly seconds: number
  /** Processor time of all threads, in seconds. */
  readonly cpuSeconds: number
  /** Bytes of the heap, without compiled code. */
  readonly heap: number
  /** Bytes of compiled code and its metadata. */
  readonly code: number
  /** Bytes outside the heap that belong to its objects, mainly buffers. */
  readonly external: number
  /** Bytes. */
  readonly rss: number
  /** Active handles, by kind. */
  readonly handles: readonly string[]
  /** Open file descriptors. */
  readonly files: number
}
