import { createHash } from 'node:crypto'
import type { RunOptions } from '@collab-etl/warehouse'
import type { SnapshotOptions } from './options.ts'

/** The options of a snapshot that decide what is read and stored, as `runs.options` keeps them. */
export interface StoredOptions extends RunOptions {
  /** ISO 8601; `null`: the default, a range that moves with the clock. */
  readonly events_from: string | null
  readonly events_to: string | null
  /** By project, a hash of the ids of the posts that `--post` and `--posts-file` name. */
  readonly named_posts: Readonly<Record<string, string>>
  /** A hash of the link patterns of the config file; `null`: none. */
  readonly links: string | null
}

export function storedOptions(options: SnapshotOptions): StoredOptions {
  const { projects, streams, eventsFrom, eventsTo, namedPosts, links } = options
  const idsByProject = Map.groupBy(namedPosts, ({ pid }) => pid)
  return {
    projects: projects && [...projects].sort(),
    streams: [...streams],
    events_from: eventsFrom?.toISOString() ?? null,
    events_to: eventsTo?.toISOString() ?? null,
    named_posts: Object.fromEntries(
      [...idsByProject].map(([pid, posts]) => [pid, hashOf(new Set(posts.map(({ id }) => id)))]),
    ),
    links: links.length === 0 ? null : hashOf(links.map(({ kind, pattern }) => `${kind} ${pattern}`)),
  }
}

/** The same texts in any order give the same hash. */
function hashOf(texts: Iterable<string>): string {
  return createHash('sha256')
    .update(JSON.stringify([...texts].sort()))
    .digest('hex')
}
