import type { BenchServer } from './postgres/server.ts'

/** Sizes of what is measured: those of the issue, or tiny ones to see that it works. */
export interface Sizes {
  readonly tasks: number
  readonly manyTasks: number
  readonly projects: number
  readonly tasksPerProject: number
  readonly archivedPages: number
  readonly archivedPageSize: number
  readonly latencyMs: number
  readonly pages: number
  readonly posts: number
  readonly manyPages: number
}

export interface BenchContext {
  readonly sizes: Sizes
  /** Not to be touched by a bench that says it needs none. */
  readonly server: BenchServer
  /** An empty folder. */
  readonly scratch: string
  readonly runs: number
  /** Figures that are wanted. */
  readonly wanted: ReadonlySet<string>
  /** Where profiles go; undefined: none are taken. */
  readonly profile: string | undefined
  /** Tells what goes on. */
  readonly say: (line: string) => void
}

/** A figure that is measured, and what it must be. */
export interface Figure {
  readonly name: string
  readonly what: string
  readonly unit: '×' | '× faster' | 'MB' | '%'
  readonly limit?: { readonly atMost: number } | { readonly atLeast: number }
}

/** What one run measured: the figure, and the parts that it was made of. */
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
  /** Gives what each run measured, once it is known. */
  measure(context: BenchContext): AsyncIterable<Measured>
}
