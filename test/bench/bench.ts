import type { BenchServer } from './postgres/server.ts'

/** Sizes of the measured data: full, or tiny for a smoke test. */
export interface Sizes {
  readonly tasks: number
  readonly manyTasks: number
  /** Stored without reading a service. */
  readonly storedTasks: number
  readonly projects: number
  readonly tasksPerProject: number
  /** Projects of a service without latency, and the tasks of each. */
  readonly loadedProjects: number
  readonly tasksPerLoadedProject: number
  /** Projects that several processes read: of a slow service, large ones, and small ones. */
  readonly sharedProjects: { readonly slow: number; readonly large: number; readonly small: number }
  readonly tasksPerLargeProject: number
  readonly archivedPages: number
  readonly archivedPageSize: number
  readonly latencyMs: number
  readonly pages: number
  readonly posts: number
  readonly manyPages: number
}

export interface BenchContext {
  readonly sizes: Sizes
  /** Must not be used by a bench that needs no server. */
  readonly server: BenchServer
  /** An empty directory. */
  readonly scratch: string
  readonly runs: number
  /** Requested figures. */
  readonly wanted: ReadonlySet<string>
  /** Directory for profiles; `undefined`: none. */
  readonly profile: string | undefined
  /** Reports progress. */
  readonly say: (line: string) => void
}

/** A measured figure and its requirement. */
export interface Figure {
  readonly name: string
  readonly what: string
  readonly unit: '×' | '× faster' | 'MB' | '%' | 'records/s' | 'rows/s' | 's'
  readonly limit: { readonly atMost: number } | { readonly atLeast: number }
}

/** Result of one run: the figure and its parts. */
export interface Measured {
  readonly figure: string
  readonly value: number
  readonly parts: Readonly<Record<string, number>>
}

/** Some figures that are measured together. */
export interface Bench {
  readonly figures: readonly Figure[]
  /** Whether it needs a Postgres server. */
  readonly onPostgres: boolean
  /** Yields the result of each run. */
  measure(context: BenchContext): AsyncIterable<Measured>
}
