import type { ScopeResult } from '@collab-etl/contract/streams'
import type { TableName } from '../tables/table.ts'

/** Which projects the service has. */
export interface SeenProjects {
  /** All existing projects: those in the list, and others that were found; `null` if the list was not read completely. */
  readonly listed: ReadonlySet<string> | null
  /** Projects that are listed but may not be read. */
  readonly barred: ReadonlySet<string>
  /** Projects for which the service answered that they do not exist, listed or not. */
  readonly gone: ReadonlySet<string>
}

/** The content hash of the last complete reading of a scope. Rows that wait for confirmation are not in it. */
export interface StoredHash {
  /** `null`, as are the other fields: runs have stored rows of the scope, but no reading of it was complete. */
  readonly runId: string | null
  readonly contentHash: string | null
  readonly records: number | null
  /** When that run began to read it. */
  readonly readAt: Date | null
}

/** One scope as it was read now, and how the stored rows differ. */
export interface ComparedScope extends ScopeResult {
  readonly stored: StoredHash | null
  /** Content hash of this reading; `null` if it was not complete. */
  readonly contentHash: string | null
  /** How many rows differ, of all its tables. */
  readonly counts: Readonly<Record<DifferenceKind, number>>
  /** The first thousand of each kind and table, in the order of their keys. */
  readonly differences: readonly Difference[]
}

/** `missing`: the service has it, the warehouse does not; `extra`: the other way round; `changed`: values differ. */
export type DifferenceKind = 'missing' | 'extra' | 'changed'

/** A row that is not stored as the service has it. */
export interface Difference {
  readonly table: TableName
  readonly kind: DifferenceKind
  /** Its key by column, the project's id aside where that goes without saying. */
  readonly key: Readonly<Record<string, string>>
  /** Columns whose values differ, of a `changed` row. */
  readonly columns: readonly string[]
}
