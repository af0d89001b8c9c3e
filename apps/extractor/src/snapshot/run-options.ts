import { createHash } from 'node:crypto'
import type { Settings } from '@collab-etl/cli'
import type { StreamName } from '@collab-etl/contract/streams'
import type { RunOptions } from '@collab-etl/warehouse'
import type { SnapshotOptions } from './options.ts'
import { hasBudget, showRefresh } from './refresh-policy.ts'

/** The options of a snapshot that decide what is read and stored, as `runs.options` keeps them. */
export interface StoredOptions extends RunOptions {
  /** ISO 8601; `null`: the default, which moves with the clock. */
  readonly events_from: string | null
  readonly events_to: string | null
  /** By project, a hash of the ids of the posts that `--post` and `--posts-file` name. */
  readonly named_posts: Readonly<Record<string, string>>
  /** A hash of the link patterns and service hosts of the config file; `null`: none. */
  readonly links: string | null
  /** The refresh policy, as `showRefresh` has it; missing: everything was read. */
  readonly refresh?: string
  /** Set if posts and files were read after all lists, so that a project may have been published without them. */
  readonly budget?: true
  /** Set if no observed operation was used. */
  readonly extended?: 'off'
  /** The run that this one resumed. */
  readonly resumed_run?: string
}

/** The options of an earlier run; `null` if they are not known or were not written by a snapshot. */
export function readStoredOptions(stored: RunOptions | null): StoredOptions | null {
  if (stored === null) return null
  const { events_from: from, events_to: to, named_posts: posts, links } = stored
  const isTextOrNull = (value: unknown) => value === null || typeof value === 'string'
  if (![from, to, links].every(isTextOrNull) || typeof posts !== 'object' || posts === null) return null
  return stored as StoredOptions // its fields were just checked
}

/**
 * The options that would read other data of a project, named for the user; `null` if data read under the earlier options
 * is also valid under the later ones. Page sizes and limits change how data is read, not which.
 */
export function readOtherwise(earlier: StoredOptions, later: StoredOptions, pid: string): string | null {
  const reads = (...streams: readonly StreamName[]) => streams.some((stream) => later.streams.includes(stream))
  if (reads('posts', 'files', 'archived_tasks') && (earlier.refresh ?? '') !== (later.refresh ?? '')) {
    return 'periods (--refresh)'
  }
  if (reads('posts', 'files') && earlier.budget === true)
    return 'posts and files, which its request budget left for later'
  if (earlier.extended !== later.extended) return 'operations (--extended)'
  const namedNow = later.named_posts[pid]
  if (reads('events') && !coversEvents(earlier, later)) return 'events (--events-from, --events-to)'
  if (reads('posts', 'files') && earlier.links !== later.links)
    return 'links (links and service_hosts in the config file)'
  if (reads('posts') && namedNow !== undefined && namedNow !== earlier.named_posts[pid]) {
    return 'posts (--post, --posts-file)'
  }
  return null
}

/** The same range, or one that contains it. The default moves with the clock, so it only matches itself. */
function coversEvents(earlier: StoredOptions, later: StoredOptions): boolean {
  const [wasFrom, wasTo, from, to] = [earlier.events_from, earlier.events_to, later.events_from, later.events_to]
  const startsInTime = wasFrom === from || (wasFrom !== null && from !== null && wasFrom <= from)
  const endsInTime = wasTo === to || (wasTo !== null && to !== null && wasTo >= to)
  return startsInTime && endsInTime
}

export function storedOptions(options: SnapshotOptions, { extended }: Pick<Settings, 'extended'>): StoredOptions {
  const { projects, streams, eventsFrom, eventsTo, namedPosts, links, serviceHosts } = options
  const idsByProject = Map.groupBy(namedPosts, ({ pid }) => pid)
  const linking = [
    ...links.map(({ kind, pattern }) => `${kind} ${pattern}`),
    ...serviceHosts.map((host) => `host ${host}`),
  ]
  return {
    projects: projects && [...projects].sort(),
    streams: [...streams],
    events_from: eventsFrom?.toISOString() ?? null,
    events_to: eventsTo?.toISOString() ?? null,
    named_posts: Object.fromEntries(
      [...idsByProject].map(([pid, posts]) => [pid, hashOf(new Set(posts.map(({ id }) => id)))]),
    ),
    links: linking.length === 0 ? null : hashOf(linking),
    ...(options.refresh.size > 0 && { refresh: showRefresh(options.refresh) }),
    ...(hasBudget(options) && { budget: true as const }),
    ...(extended === 'off' && { extended }),
  }
}

/** The same texts in any order give the same hash. */
function hashOf(texts: Iterable<string>): string {
  return createHash('sha256')
    .update(JSON.stringify([...texts].sort()))
    .digest('hex')
}
