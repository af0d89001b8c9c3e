import type { PageStore, StreamName } from '@collab-etl/core'
import type { RunDetails, Warehouse } from '@collab-etl/warehouse'

/** `error.code` of scopes that are skipped because an earlier run published them. */
export const RESUMED = 'RESUMED'

/** What an interrupted run left to go on from. */
export interface Resumable {
  readonly runId: string
  /** Projects of which it, or the run that it resumed itself, published every stream. */
  readonly published: ReadonlySet<string>
}

/**
 * The latest run, if it was interrupted or died, and read the same service; to be asked under the lock, when none can be
 * running. `null`: there is nothing to resume, and everything is read.
 */
export async function findResumable(
  warehouse: Warehouse,
  baseUrl: string,
  streams: ReadonlySet<StreamName>,
): Promise<Resumable | null> {
  const [last] = await warehouse.runs(1)
  if (last === undefined || last.base_url !== baseUrl) return null
  if (last.status === 'succeeded' || last.status === 'partial') return null
  const details = await warehouse.run(last.run_id)
  return details === null ? null : { runId: last.run_id, published: publishedProjects(details, streams) }
}

/** Projects of which a run has published each of the streams. */
export function publishedProjects(
  { scopes }: Pick<RunDetails, 'scopes'>,
  streams: ReadonlySet<StreamName>,
): Set<string> {
  const published = new Map<string, Set<StreamName>>()
  for (const { pid, stream, status, error_code: code } of scopes) {
    if (pid === null || !(status === 'complete' || (status === 'skipped' && code === RESUMED))) continue
    published.set(pid, (published.get(pid) ?? new Set()).add(stream))
  }
  return new Set(
    [...published].filter(([, done]) => [...streams].every((stream) => done.has(stream))).map(([pid]) => pid),
  )
}

/** Tells where an archived walk goes on that the resumed run had not read to its end. */
export function watchedPages(pages: PageStore, goesOnFrom: (page: number) => void): PageStore {
  return { pages: () => pages.pages(), save: (page) => pages.save(page), goesOnFrom }
}
