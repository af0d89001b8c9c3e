/** What the process of the nights is told to run. */
export interface NightOrder {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What it says of itself afterwards, once all that can be collected is. */
export interface NightReport {
  readonly exitCode: number
  readonly seconds: number
  /** Of the processor, all threads of this process. */
  readonly cpuSeconds: number
  /** Bytes of the heap, compiled code left out. */
  readonly heap: number
  /** Bytes of compiled code, and what belongs to it. */
  readonly code: number
  /** Bytes that hang on objects of the heap: buffers, mainly. */
  readonly external: number
  /** Bytes. */
  readonly rss: number
  /** What keeps the process alive, by kind. */
  readonly handles: readonly string[]
  /** Open file descriptors. */
  readonly files: number
}
