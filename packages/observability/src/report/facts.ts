import type { Night } from '../night.ts'

/** Input of a report. */
export interface ReportFacts {
  /** The nights on record, the oldest first. */
  readonly nights: readonly Night[]
  /** What a run changed by project: of the last night, else the last one that finished; `null`: none did, or see `warehouseProblem`. */
  readonly changes: ReportChanges | null
  /** Why the warehouse could not be read; `null`: it was. */
  readonly warehouseProblem: string | null
  readonly writtenAt: Date
}

/** What a run changed by project, and which scopes it could not read completely. Times are ISO 8601. */
export interface ReportChanges {
  readonly run_id: string
  readonly started_at: string
  readonly projects: number
  readonly changed_projects: number
  /** The projects with the most changed rows. */
  readonly changed: readonly ReportProject[]
  readonly incomplete_scopes: number
  /** Some of these scopes. */
  readonly incomplete: readonly ReportScope[]
  /** Some of the complete scopes that may lack records. */
  readonly warnings: readonly ReportWarning[]
  /** Projects that no longer exist. */
  readonly gone: readonly { readonly pid: string; readonly name: string | null }[]
}

/** Numbers of rows of a project that a run wrote; `pid` is `null` for records of the workspace that belong to no project. */
export interface ReportProject extends ReportCounts {
  readonly pid: string | null
  readonly name: string | null
  readonly is_new: boolean
  readonly streams: readonly (ReportCounts & { readonly stream: string })[]
}

/** Numbers of rows. */
export interface ReportCounts {
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** A complete scope that may lack records, and why. */
interface ReportWarning extends Pick<ReportScope, 'pid' | 'project_name' | 'stream'> {
  readonly warning: string
}

/** An incomplete scope, and since when it is incomplete. */
export interface ReportScope {
  readonly pid: string | null
  readonly project_name: string | null
  readonly stream: string
  readonly status: string
  readonly error: string | null
  readonly unread_items: number
  /** `null`: it was never read completely, or the time is not known. */
  readonly last_complete_at: string | null
  readonly since: string
  /** Consecutive runs since then. */
  readonly runs: number
}
