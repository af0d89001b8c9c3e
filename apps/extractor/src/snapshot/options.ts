import { type Arguments, readCsvFile, type Settings, UsageError } from '@collab-etl/cli'
import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import { isAskableId, type LinkPattern } from '@collab-etl/core'
import type { DeletionLimits, KnownRow } from '@collab-etl/warehouse'
import { requirePostgres } from '../warehouse.ts'
import type { Acceptance } from './accepted.ts'
import type { ResumeMode, SNAPSHOT_FLAGS } from './flags.ts'
import { type RefreshOptions, refreshOptions } from './refresh-policy.ts'

/** Enough to keep the one request limit busy while others publish; each costs the memory of its batches. */
export const MAX_PROJECTS_AT_ONCE = 8

/** A scope from which more than half of the stored rows are missing is more likely a fault than real deletions. */
const MAX_SHRINK = 0.5

export type SnapshotArguments = Arguments<typeof SNAPSHOT_FLAGS>

/** What a snapshot is to do, defaults filled in. */
export interface SnapshotOptions extends RefreshOptions {
  /** `null`: all that the service lists. */
  readonly projects: ReadonlySet<string> | null
  readonly streams: ReadonlySet<StreamName>
  readonly eventsFrom: Date | undefined
  readonly eventsTo: Date | undefined
  readonly archivedPageSize: number | undefined
  /** Posts that were named by flag or file. */
  readonly namedPosts: readonly KnownRow[]
  readonly links: readonly LinkPattern[]
  readonly serviceHosts: readonly string[]
  readonly limits: DeletionLimits
  /** Whether to accept a service other than the one whose data the warehouse holds. */
  readonly rebinds: boolean
  readonly acceptClock: boolean
  /** Whether to continue a warehouse that was moved to another database. */
  readonly again: boolean
  /** Whether to accept a token of another user than that of the last run. */
  readonly acceptsAccount: boolean
  /** Accounts of earlier runs to forget: rows that only they saw are marked deleted. */
  readonly forgets: readonly string[]
  /** Whether every value is compared, also of records whose hash is unchanged. */
  readonly full: boolean
  /** Known failures that are accepted besides those in the warehouse. */
  readonly accepted: readonly Acceptance[]
  readonly resume: ResumeMode
  readonly projectsAtOnce: number
  /** Number of worker processes that are started here to read the projects; 0: all are elsewhere; `null`: this process reads them. */
  readonly workers: number | null
}

type SnapshotSettings = Pick<Settings, 'file' | 'concurrency' | 'databaseUrl'>

/** Checks what only several flags together can tell, and reads the posts file. Throws `UsageError`. */
export async function snapshotOptions(settings: SnapshotSettings, args: SnapshotArguments): Promise<SnapshotOptions> {
  const { 'events-from': eventsFrom, 'events-to': eventsTo, 'posts-file': postsFile } = args
  if (eventsFrom && eventsTo && eventsFrom > eventsTo) throw new UsageError('--events-from is after --events-to')
  if (args.full && args.resume !== undefined && args.resume !== 'off') {
    throw new UsageError('--full reads everything again and --resume skips what was read: use one of them')
  }
  if (args.workers !== undefined) requirePostgres(settings, '--workers')
  const fromFile =
    postsFile === undefined ? [] : await readCsvFile(postsFile, { name: '--posts-file', columns: ['pid', 'post_id'] })
  const unaskable = fromFile.find(({ pid, post_id: id }) => !isAskableId(pid) || !isAskableId(id))
  if (unaskable !== undefined) {
    throw new UsageError(
      `--posts-file ${postsFile}: the service cannot be asked for post ${JSON.stringify(unaskable.post_id.slice(0, 80))}; leave it out`,
    )
  }
  if (args.streams?.has('task_comments') && !args.streams.has('tasks')) {
    throw new UsageError('--streams: task_comments needs tasks: give --streams tasks,task_comments')
  }
  return {
    projects: args.project === undefined ? null : new Set(args.project),
    streams: args.streams ?? new Set(STREAMS),
    eventsFrom,
    eventsTo,
    archivedPageSize: args['archived-page-size'],
    namedPosts: [
      ...(args.post ?? []).map(({ pid, id }) => ({ kind: 'post', pid, id, source: 'flag' }) as const),
      ...fromFile.map(({ pid, post_id: id }) => ({ kind: 'post', pid, id, source: 'file' }) as const),
    ],
    links: (settings.file['links'] ?? []) as readonly LinkPattern[], // as `parseLinks` returned it
    serviceHosts: (settings.file['service_hosts'] ?? []) as readonly string[], // as `parseServiceHosts` returned it
    limits: { maxShrink: args['max-shrink'] ?? MAX_SHRINK, allowShrink: args['allow-shrink'] ?? false },
    rebinds: args['rebind-service'] ?? false,
    acceptClock: args['accept-clock'] ?? false,
    again: args.again ?? false,
    acceptsAccount: args['accept-account'] ?? false,
    forgets: args['forget-account'] ?? [],
    full: args.full ?? false,
    ...refreshOptions(settings.file, args),
    accepted: args.accept ?? [],
    resume: args.resume ?? 'off',
    projectsAtOnce: Math.min(settings.concurrency, MAX_PROJECTS_AT_ONCE),
    workers: args.workers ?? null,
  }
}
