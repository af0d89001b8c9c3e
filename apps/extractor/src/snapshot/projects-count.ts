import type { ScopeStatus } from '@collab-etl/contract/streams'
import type { ScopeReport } from './tally.ts'

/** How projects ended. */
export interface ProjectsCount {
  readonly total: number
  /** All that was to be read of them was. */
  readonly complete: number
  /** Some of it was. */
  readonly partial: number
  /** None of it was. */
  readonly failed: number
  /** Not to be read: no permission, deleted meanwhile, or published by the run that this one resumes. */
  readonly skipped: number
}

/** Counts projects by their scopes. Those of a run that ended early have none, and count in the total alone. */
export function countProjects(pids: readonly string[], scopes: readonly ScopeReport[]): ProjectsCount {
  const byProject = Map.groupBy(scopes, ({ pid }) => pid)
  const count = { total: pids.length, complete: 0, partial: 0, failed: 0, skipped: 0 }
  for (const pid of pids) {
    const statuses = byProject.get(pid)?.map(({ status }) => status) ?? []
    const all = (...expected: ScopeStatus[]) => statuses.every((status) => expected.includes(status))
    if (statuses.length === 0) continue
    if (all('skipped')) count.skipped += 1
    else if (all('complete', 'skipped')) count.complete += 1
    else if (all('failed', 'skipped')) count.failed += 1
    else count.partial += 1
  }
  return count
}
