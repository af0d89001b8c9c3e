import type { Scope, ScopeResult, ScopeSink } from '@collab-etl/contract/streams'
import type { TableName } from '../convert/table.ts'

/**
 * What the service now sends, held against what is stored. Written are the staging tables, which are emptied again, and
 * `scopes_to_reread`; no run is made of it.
 */
export interface Comparison {
  /** What runs have stored of a scope; `null` if none ever stored anything of it. */
  storedHash(scope: Scope): StoredHash | null
  /** Whether any run has stored anything of a project. */
  hasRead(pid: string): boolean
  /** Opens the stage of one project, or of what belongs to none (`null`). Several may be open at once, one per project. */
  stage(pid: string | null): Promise<ComparisonStage>
  /** Ids of projects of which anything lives in the warehouse, and that are not in the complete list, in order. */
  missingProjects(listed: ReadonlySet<string>): Promise<string[]>
  /** Projects that are there and not stored, or stored and not there. */
  compareProjects(found: SeenProjects): Promise<Difference[]>
  /** Stages still open are discarded. */
  end(): Promise<void>
}

/** What was read of which projects there are. */
export interface SeenProjects {
  /** All that there are: those in the list, and those that were found besides; `null` if nothing is to be concluded from it. */
  readonly listed: ReadonlySet<string> | null
  /** Projects that are listed, but not to be read. */
  readonly barred: ReadonlySet<string>
  /** Projects of which the service says that they do not exist, listed or not. */
  readonly gone: ReadonlySet<string>
}

/** What the last run that published a scope as `complete` stored of it. */
export interface StoredHash {
  /** `null`, as all else: runs have stored something of the scope, but never read it to its end. */
  readonly runId: string | null
  readonly contentHash: string | null
  readonly records: number | null
  /** When that run began to read it. */
  readonly readAt: Date | null
}

/** Takes what one project's streams read, and holds it against what is stored. */
export interface ComparisonStage extends ScopeSink {
  /** Compares all scopes that were ended; the stage is closed by it. What is not `complete` proves nothing. */
  compare(): Promise<ComparedScope[]>
  /** Closes the stage and compares nothing. */
  discard(): Promise<void>
}

/** One scope, as it was read now. */
export interface ComparedScope extends ScopeResult {
  readonly stored: StoredHash | null
  /** Hash of what was read now; `null` if it was not read completely. */
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
