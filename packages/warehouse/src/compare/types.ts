import type { Scope, ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { TableName } from '../convert/table.ts'

/**
 * Compares the service with the stored rows. Writes staging tables, which it empties again, and `scopes_to_reread`; it makes no entry in
 * the run log.
 */
export interface Comparison {
  /** The content hash that runs stored of a scope; `null` if no run stored any of it. */
  storedHash(scope: Scope): StoredHash | null
  /** Whether any run has stored anything of a project. */
  hasRead(pid: string): boolean
  /** Opens the stage of a project; `null`: of what belongs to no project. Several may be open at once, one per project. */
  stage(pid: string | null): Promise<ComparisonStage>
  /** Ids of projects that have live rows and are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]>
  /** Projects that exist and are not stored, and those that are stored and do not exist. */
  compareProjects(found: SeenProjects): Promise<Difference[]>
  /** Ends the comparison; stages still open are discarded. */
  end(): Promise<void>
}

/** Which projects the service has. */
export interface SeenProjects {
  /** All existing projects: those in the list, and others that were found; `null` if the list was not read completely. */
  readonly listed: ReadonlySet<string> | null
  /** Projects that are listed but may not be read. */
  readonly barred: ReadonlySet<string>
  /** Projects for which the service answered that they do not exist, listed or not. */
  readonly gone: ReadonlySet<string>
}

/** The content hash of the last complete reading of a scope: of what was read, not of rows that wait for confirmation. */
export interface StoredHash {
  /** `null`, as are the other fields: runs have stored rows of the scope, but no reading of it was complete. */
  readonly runId: string | null
  readonly contentHash: string | null
  readonly records: number | null
  /** When that run began to read it. */
  readonly readAt: Date | null
}

/** Takes the records of one project's streams and compares them with the stored rows. */
export interface ComparisonStage extends ScopeSink {
  /** Compares all scopes that were ended, and closes the stage. Scopes that are not `complete` have no differences. */
  compare(): Promise<ComparedScope[]>
  /** Closes the stage and compares nothing. */
  discard(): Promise<void>
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
