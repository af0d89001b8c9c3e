import type { StreamName } from '@collab-etl/contract/streams'
import type { LinkKind } from '@collab-etl/core'
import type { Budget, KnownRow, Plan } from '@collab-etl/warehouse'
import type { SnapshotOptions } from './options.ts'
import type { RefreshPolicy } from './refresh-policy.ts'

/** The options of a run that decide what is read and stored, as JSON: all its workers use them. */
export interface SharedOptions {
  readonly projects: readonly string[] | null
  readonly streams: readonly StreamName[]
  readonly eventsFrom: string | null
  readonly eventsTo: string | null
  readonly archivedPageSize: number | null
  readonly namedPosts: readonly KnownRow[]
  readonly links: readonly (readonly [LinkKind, source: string, flags: string])[]
  readonly serviceHosts: readonly string[]
  readonly limits: SnapshotOptions['limits']
  readonly rebinds: boolean
  readonly forgets: readonly string[]
  readonly full: boolean
  readonly refresh: readonly (readonly [string, number])[]
  readonly maxRequests: number | null
  readonly maxDurationMs: number | null
}

/** The shared part of options; its JSON is the same for the same options. */
export function sharedOptions(options: SnapshotOptions): SharedOptions {
  const { projects, streams, eventsFrom, eventsTo, archivedPageSize, namedPosts, links, serviceHosts } = options
  const { limits, rebinds, forgets, full, refresh, maxRequests = null, maxDurationMs = null } = options
  return {
    projects: projects && [...projects].sort(),
    streams: [...streams].sort(),
    eventsFrom: eventsFrom?.toISOString() ?? null,
    eventsTo: eventsTo?.toISOString() ?? null,
    archivedPageSize: archivedPageSize ?? null,
    namedPosts,
    links: links.map(({ kind, pattern: { source, flags } }) => [kind, source, flags] as const),
    serviceHosts,
    limits,
    rebinds,
    forgets,
    full,
    refresh: [...refresh].sort(([a], [b]) => (a < b ? -1 : 1)),
    maxRequests,
    maxDurationMs,
  }
}

/** Options with the shared part replaced by that of a run. */
export function withShared(options: SnapshotOptions, shared: SharedOptions): SnapshotOptions {
  const date = (text: string | null) => (text === null ? undefined : new Date(text))
  return {
    ...options,
    ...shared,
    projects: shared.projects && new Set(shared.projects),
    streams: new Set(shared.streams),
    eventsFrom: date(shared.eventsFrom),
    eventsTo: date(shared.eventsTo),
    archivedPageSize: shared.archivedPageSize ?? undefined,
    links: shared.links.map(([kind, source, flags]) => ({ kind, pattern: new RegExp(source, flags) })),
    maxRequests: shared.maxRequests ?? undefined,
    maxDurationMs: shared.maxDurationMs ?? undefined,
    refresh: new Map(shared.refresh) as RefreshPolicy, // as `sharedOptions` wrote it
  }
}

/** Milliseconds until a run that several processes read has used up its time; `undefined`: it may take any. */
export function leftOf(budget: Budget | null, { startedAt }: Pick<Plan, 'startedAt'>): number | undefined {
  const longestMs = budget?.maxDurationMs ?? null
  return longestMs === null ? undefined : startedAt.getTime() + longestMs - Date.now()
}
