/** How a step ended. `skipped`: it was not run, for the reason given. */
export type StepStatus = 'ok' | 'partial' | 'failed' | 'skipped'

/** An attempt of a step that failed, after which the job tried again. */
export interface FailedAttempt {
  /** ISO 8601. */
  readonly started_at: string
  readonly duration_ms: number
  readonly exit_code: number
  /** Why it failed or is partial, in one line. */
  readonly reason: string
  /** Whether the same scopes were incomplete as in the attempt whose result counts; missing: no, or not known. */
  readonly is_same?: boolean
}

/** One step of a night. */
export interface Step {
  readonly name: string
  readonly status: StepStatus
  /** `null` if it was skipped. */
  readonly exit_code: number | null
  /** ISO 8601. */
  readonly started_at: string
  readonly duration_ms: number
  /** Why it failed, is partial or was skipped, in one line; `null`: it succeeded, or gave no reason. */
  readonly reason: string | null
  /** The attempts before the last one, which all other fields describe; missing: there was one attempt. */
  readonly failed_attempts?: readonly FailedAttempt[]
}

/** Rows of a table that a run read and changed. */
export interface RowCounts {
  readonly read: number
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** Statuses in `SnapshotFacts.scopes` of scopes that are not incomplete. */
export const WHOLE_STATUSES: ReadonlySet<string> = new Set(['complete', 'skipped', 'carried', 'accepted'])

/** Result of a snapshot. */
export interface SnapshotFacts {
  readonly run_id: string
  /** The token's owner; `null` if the service does not say whose token it is. */
  readonly account: { readonly uid: string; readonly name: string | null } | null
  /** Instead of it, the accounts that have names. */
  readonly accounts?: readonly AccountFact[]
  readonly status: string
  readonly duration_ms: number
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly projects: Readonly<Record<string, number>>
  /** By table. */
  readonly rows: Readonly<Record<string, RowCounts>>
  /**
   * Number of scopes by stream and status; `denied`: skipped, although an earlier run could read it, or when no project can be read, or carried
   * because its account failed; `accepted`: all that is missing was accepted.
   */
  readonly scopes: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Number of conversion issues by kind. */
  readonly losses: Readonly<Record<string, number>>
  /**
   * The scopes that are not whole, at most `MOST_SCOPES`, those with status `refused` first; without those of which all that is missing was
   * accepted.
   */
  readonly not_whole: readonly ScopeFact[]
  /** The accepted failures that occurred, at most `MOST_SCOPES`; missing in nights of earlier versions. */
  readonly accepted?: readonly AcceptedFact[]
  /** Scopes of acceptances that are no longer needed, at most `MOST_SCOPES`. */
  readonly accepted_unneeded?: readonly string[]
  /** Projects that are no longer in the service, at most `MOST_SCOPES`; missing: none. */
  readonly deleted_projects?: readonly DeletedProjectFact[]
}

/** An account, and how many projects no other account lists. */
export interface AccountFact {
  readonly account: string
  readonly alone: number
}

/** A project that the snapshot marked deleted, with the number of its rows. */
export interface DeletedProjectFact {
  readonly pid: string
  readonly name: string | null
  readonly rows: number
}

/** An accepted failure: `PID/STREAM[/ITEM]`, the ISO time at which the acceptance ends, and why it was accepted. */
export interface AcceptedFact {
  readonly scope: string
  readonly until: string
  readonly reason: string
}

/** A scope that is not whole. */
export interface ScopeFact {
  readonly pid: string | null
  /** Missing: not known. */
  readonly project_name?: string | null
  readonly stream: string
  readonly status: string
  readonly error: string | null
}

/** Number of scopes that `not_whole` lists at most; `scopes` counts all. */
export const MOST_SCOPES = 100

/** Result of a backup. */
export interface BackupFacts {
  readonly name: string
  readonly path: string
  readonly status: string
  readonly files: number
  readonly bytes: number
  readonly new_bytes: number
  /** Parts of documents that could not be converted exactly. */
  readonly conversion_issues: number
}

/** Result of a verification. */
export interface VerificationFacts {
  /** Name of the backup. */
  readonly backup: string
  readonly mode: string
  readonly damaged: number
}

/** Result of a drill: practised recovery from a backup. */
export interface DrillFacts {
  /** ISO 8601. */
  readonly started_at: string
  readonly duration_ms: number
  /** Name of the archive or backup. */
  readonly source: string
  /** Id of the project that was restored. */
  readonly project: string | null
  /** Why the data could not be recovered, in one line; `null`: all came back. */
  readonly problem: string | null
  /** What was not practised or compared, and why. */
  readonly notes: readonly string[]
}

/** `whole`: every step succeeded; `partial`: exit code 3; `failed`: any other. */
export type Outcome = 'whole' | 'partial' | 'failed'

/** One execution of the job: the results of its steps, and the nights before it in short. Sent with the ping, and kept in the record of runs. */
export interface Night {
  readonly started_at: string
  readonly finished_at: string
  readonly duration_ms: number
  readonly exit_code: number
  readonly outcome: Outcome
  /** Number of attempts, the first included: each step that was tried again adds one; missing: 1. */
  readonly attempts?: number
  readonly host: string
  readonly tool_version: string
  /** Address of the service, without secrets. */
  readonly base_url: string | null
  readonly steps: readonly Step[]
  /** `null` if the snapshot left no summary. */
  readonly snapshot: SnapshotFacts | null
  readonly backup: BackupFacts | null
  readonly verification: VerificationFacts | null
  /** Names of the backups and archives that are there, and damaged according to their last verification; missing: it is not known. */
  readonly damaged?: readonly string[]
  /** What does not make the night fail but needs a look, each in the night that finds it; missing: nothing. */
  readonly warnings?: readonly string[]
  /** Nights in a row up to this one whose outcome is not `whole`; 0: the outcome of this one is. */
  readonly consecutive_failures: number
  /** Start of the first of them; `null`: there is none. */
  readonly failing_since: string | null
  /** Start of the last night, this one included, whose snapshot and backup succeeded; later steps do not count; `null`: there is none. */
  readonly last_whole_at: string | null
  /** The last drill up to then; missing: there was none. */
  readonly drill?: DrillFacts
  /** Positions, from 0, of the receivers that should have been notified and could not be reached; left out if there are none. */
  readonly not_notified?: readonly number[]
}

/** The names of the steps that failed. The report does not count for the outcome. */
export function failedStepNames(steps: readonly Step[]): string[] {
  return steps.filter(({ status, name }) => status === 'failed' && name !== 'report').map(({ name }) => name)
}

/** The exit code of a step, or of a night, that found damage. */
export const DAMAGE = 5

/** Whether a verification, or another step that read a backup, found damage; the exit code of the night may have a worse cause. */
export function hasDamage({ steps, verification }: Pick<Night, 'steps' | 'verification'>): boolean {
  return (verification?.damaged ?? 0) > 0 || steps.some(({ exit_code: code }) => code === DAMAGE)
}

/** The backups and archives that are known to be damaged, in one line; empty: there are none. */
export function damagedLine({ damaged = [] }: Pick<Night, 'damaged'>): string {
  if (damaged.length === 0) return ''
  const more = damaged.length > MOST_DAMAGED ? ` and ${damaged.length - MOST_DAMAGED} more` : ''
  return `Damaged, until removed or verified intact: ${damaged.slice(0, MOST_DAMAGED).join(', ')}${more}`
}

/** Copies that one line names. */
const MOST_DAMAGED = 5

/** `Website relaunch (f9167…)`, or the id alone where the name is not known. */
export function projectText(pid: string | null, name: string | null | undefined): string {
  if (pid === null) return 'the workspace'
  return name ? `${name} (${pid})` : pid
}

/** A line for each project that the night found to be no longer in the service. */
export function deletedLines({ snapshot }: Pick<Night, 'snapshot'>): string[] {
  return (snapshot?.deleted_projects ?? []).map(
    ({ pid, name, rows }) =>
      `No longer in the service: ${projectText(pid, name)}, ${rows} ${rows === 1 ? 'row' : 'rows'}`,
  )
}

/** The incomplete scopes of a night with their status, as texts to compare, in order. */
export function scopeKeys({ snapshot }: Pick<Night, 'snapshot'>): string[] {
  // the record is a file that anyone may have edited
  const scopes = Array.isArray(snapshot?.not_whole) ? snapshot.not_whole : []
  return scopes.map(({ pid, stream, status }) => `${pid}/${stream}/${status}`).sort()
}

/** A text of at most `most` characters, cut between two causes or else two words. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text
  const start = text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')
  const end = [start.lastIndexOf('; '), start.lastIndexOf(' ')].find((at) => at > most / 2) ?? start.length
  return `${start.slice(0, end)}…`
}

/** What a night says about accepted failures: those that occurred, and those that no longer do. */
export function acceptedLines({ snapshot }: Pick<Night, 'snapshot'>): string[] {
  const lines = (snapshot?.accepted ?? []).map(
    ({ scope, until, reason }) => `Accepted failure ${scope}, until ${until.slice(0, 10)}: ${reason}`,
  )
  return [...lines, ...unneededLines({ snapshot })]
}

/** What a night says about accepted failures that no longer occur. */
export function unneededLines({ snapshot }: Pick<Night, 'snapshot'>): string[] {
  return (snapshot?.accepted_unneeded ?? []).map((scope) => `The accepted failure ${scope} no longer occurs: remove it`)
}
