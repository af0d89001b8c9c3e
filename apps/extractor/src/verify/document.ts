import type { VerifyResult } from './run-verify.ts'
import type { ScopeVerdict } from './verdict.ts'
import type { ProjectsCount } from './verdicts.ts'

/** What `verify --json` prints. */
export interface VerifyDocument {
  readonly status: VerifyResult['outcome']['status']
  readonly projects: ProjectsCount
  /** The share of the projects that was verified, and which; `null` for all of them. */
  readonly sample: { readonly fraction: number; readonly of: number; readonly chosen: readonly string[] } | null
  readonly scopes: readonly ScopeVerdict[]
  readonly requests: number
  readonly retries: number
  readonly bytes: number
  readonly duration_ms: number
  /** What ended it before its time. */
  readonly error: { readonly code: string; readonly message: string; readonly exit_code: number } | null
}

export function verifyDocument(result: VerifyResult): VerifyDocument {
  const { outcome, verdicts, pids, sample, stats, failure } = result
  return {
    status: outcome.status,
    projects: verdicts.countProjects(pids),
    sample: sample && { ...sample, chosen: pids },
    scopes: verdicts.scopes,
    requests: stats.requests,
    retries: stats.retries,
    bytes: stats.bytes,
    duration_ms: result.durationMs,
    error: failure ? { code: failure.code, message: failure.message, exit_code: failure.exitCode } : null,
  }
}
