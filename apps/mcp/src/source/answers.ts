import type { Change, ChangesOptions, Lookup, QueryOutcome, Slice, Sliced } from '@collab-etl/warehouse'

/** Changes by the id of a run or by time; by default those of the last finished run. */
export interface ChangesRequest extends Omit<ChangesOptions, 'since' | 'timeoutSeconds'> {
  readonly since?: Date | { readonly runId: string } | undefined
}

/** Some of the changes, and what they cover. */
export interface FoundChanges extends Sliced<Change> {
  /** `null`: since the first run. */
  readonly since: Date | null
  /** The run under way, whose changes are left out. */
  readonly leftOut: string | null
}

/** Where the answers come from. */
export interface Answers extends AsyncDisposable {
  readonly kind: 'warehouse' | 'backup'
  /** Reads one state of the source. */
  read<T>(work: (lookup: Lookup) => Promise<T>): Promise<T>
  /** What was read when, and what is incomplete, for `run_status`. */
  status(): Promise<Readonly<Record<string, unknown>>>
  /** What runs added, changed and deleted; absent for a backup. */
  readonly changes?: (request: ChangesRequest, slice: Slice) => Promise<FoundChanges>
  /** Runs a statement that reads; absent for a backup. Holds no more than `rows` rows in memory. */
  readonly query?: (sql: string, rows: number, signal: AbortSignal) => Promise<QueryOutcome>
}
