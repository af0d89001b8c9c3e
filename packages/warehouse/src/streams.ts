import type { ScopeResult, StreamName } from '@collab-etl/core'

/** Every stream and its place in staged order: where two streams bring the same row, the later one counts. */
const PLACES: Readonly<Record<StreamName, number>> = {
  projects: 0,
  tasks: 1,
  archived_tasks: 2,
  pages: 3,
  posts: 4,
  events: 5,
  files: 6,
  webhooks: 7,
}

/** All streams, in that order. Written out here, as the warehouse takes types alone from core. */
export const STREAMS: readonly StreamName[] = (Object.keys(PLACES) as StreamName[]).sort(
  (a, b) => PLACES[a] - PLACES[b],
) // keys of a record are its key type

/** Whether a scope was read, wholly or in part, so that what was read of it is stored. */
export function isRead({ status }: Pick<ScopeResult, 'status'>): boolean {
  return status === 'complete' || status === 'partial' || status === 'drifted'
}
