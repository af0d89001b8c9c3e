import type { ScopeVerdict } from './verdict.ts'

/** Differences that are kept in memory, of all projects: some tens of megabytes. Those beyond are counted. */
const MAX_DIFFERENCES = 100_000

/** How projects came out. */
export interface ProjectsCount {
  /** Those that were to be verified. */
  readonly total: number
  readonly same: number
  readonly different: number
  /** Nothing differs in what could be read, which is not all. */
  readonly incomplete: number
}

/** Gathers what is found out of all scopes. */
export class Verdicts {
  readonly #scopes: ScopeVerdict[] = []
  #left = MAX_DIFFERENCES

  add(verdicts: readonly ScopeVerdict[]): void {
    for (const verdict of verdicts) {
      const differences = verdict.differences.slice(0, this.#left)
      this.#left -= differences.length
      this.#scopes.push({ ...verdict, differences })
    }
  }

  /** Those of the list first, then by project; in each the order of the streams. */
  get scopes(): readonly ScopeVerdict[] {
    return this.#scopes
  }

  countProjects(pids: readonly string[]): ProjectsCount {
    const list = this.#scopes.find(({ pid, stream }) => pid === null && stream === 'projects')
    const unlike = new Set(list?.differences.map(({ key }) => key['pid']))
    const byProject = Map.groupBy(this.#scopes, ({ pid }) => pid)
    const count = { total: pids.length, same: 0, different: 0, incomplete: 0 }
    for (const pid of pids) {
      const statuses = byProject.get(pid)?.map(({ status }) => status)
      // one that was not begun, as the verification ended early, counts in the total alone
      if (statuses === undefined) continue
      if (statuses.includes('different') || unlike.has(pid)) count.different += 1
      else if (statuses.includes('incomplete')) count.incomplete += 1
      else count.same += 1
    }
    return count
  }
}
