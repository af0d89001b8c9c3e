import type { Lookup, QueryOutcome } from '@collab-etl/warehouse'

/** Where the answers come from. */
export interface Source extends AsyncDisposable {
  readonly kind: 'warehouse' | 'backup'
  /** Reads one state of the source. */
  read<T>(work: (lookup: Lookup) => Promise<T>): Promise<T>
  /** What was read when, and what is incomplete, for `run_status`. */
  status(): Promise<Readonly<Record<string, unknown>>>
  /** Runs a statement that reads; absent for a backup. Holds no more than `rows` rows in memory. */
  readonly query?: (sql: string, rows: number, signal: AbortSignal) => Promise<QueryOutcome>
}
