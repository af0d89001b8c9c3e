import type { ProjectTruth } from '@collab-etl/sandbox'
import type { Allowed, Seen } from './truth.ts'

/** Statuses of scopes of which something was read and stored. */
export const STORED = ['complete', 'partial', 'drifted', 'refused']

/** Which projects the token could read, and where it was not allowed to (docs/troubleshooting.md#projects-and-permissions). */
export class Access {
  readonly #read = new Set<string>()
  /** Projects that answered 403 when they were last requested. */
  readonly #denied = new Set<string>()

  /**
   * Notes a night. Returns the projects that make it partial because an earlier night could read them: each night for permission 0, the
   * first night for 403.
   */
  lost(truths: ReadonlyMap<string, ProjectTruth>, { scopes }: Seen, { denies }: Allowed): string[] {
    const lost: string[] = []
    for (const [pid, { listed }] of truths) {
      const status = scopes.get(`${pid} projects`)?.status
      if (status === undefined) continue
      const isNews = listed?.permission === 0 || (denies === pid && !this.#denied.has(pid))
      if (status === 'skipped' && this.#read.has(pid) && isNews) lost.push(pid)
      if (denies === pid) this.#denied.add(pid)
      else this.#denied.delete(pid)
      if (STORED.includes(status)) this.#read.add(pid)
    }
    return lost
  }
}
