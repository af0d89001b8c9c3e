import {
  NO_PERMISSION,
  type PageStore,
  type ScopeResult,
  STREAMS,
  type StoredEvent,
  type StreamName,
} from '@collab-etl/contract/streams'
import { checkRange } from '../walk/events.ts'
import type { DueTaskComments } from './due-task-comments.ts'
import type { LinkRule } from './link-rule.ts'
import type { LinkPattern } from './links.ts'

/** An id that is known before a project is read. */
export interface KnownId {
  readonly id: string
  readonly source: string
  /** Only a text names it, and no run has read it: requested until `maxMissing` such ids do not exist. Default: no. */
  readonly isDoubtful?: boolean | undefined
  /** Only a text names it, and no run has read it: its scope is not `partial` if it cannot be read. Default: `isDoubtful`. */
  readonly isFromText?: boolean | undefined
  /** An earlier run could not read it: requested after the others. Default: no. */
  readonly isUnread?: boolean | undefined
  /** It was not found recently and is not requested. If `isUnread` is also set, it is requested once a field names it. Default: no. */
  readonly isWaiting?: boolean | undefined
  /** Not to be requested now, even if a record names it: its last whole reading, at this time, counts. Default: to be read. */
  readonly carriedSince?: Date | undefined
  /** When it was last read with its comments. If the request budget is used up, this reading may be carried. Default: never. */
  readonly readAt?: Date | undefined
  /** A record is stored under this id: an answer with another id is the answer to another request. Default: no. */
  readonly isStored?: boolean | undefined
}

/** A range of events, both ends included. */
export type EventsRange = NonNullable<ScopeResult['range']>

export interface ReadProjectOptions {
  /** Default: all. */
  readonly streams?: ReadonlySet<StreamName> | undefined
  /** Events that touch this range, both ends included. Default: 2010-01-01 to two years from now. */
  readonly eventsFrom?: Date | undefined
  readonly eventsTo?: Date | undefined
  /** Widest window of the walk over events, in milliseconds. Default: that of `events`. */
  readonly eventsWindow?: number | undefined
  /** Events that earlier runs stored: those of the range that are not returned are searched for. Default: none. */
  readonly storedEvents?: (() => AsyncIterable<StoredEvent>) | undefined
  /**
   * Ids of stored events outside the range that are to be confirmed one by one, where the service offers that. Asked once the range was
   * read completely. Default: none.
   */
  readonly eventsToConfirm?: ((range: EventsRange) => Promise<readonly string[]>) | undefined
  /** Default: that of `archivedTasks`. */
  readonly archivedPageSize?: number | undefined
  /** Checkpoint of paging through archived tasks, so that an interrupted reading can resume. Default: none. */
  readonly archivedPages?: PageStore | undefined
  /** Lists that are not read, because their last complete readings, at these times, count. Default: none. */
  readonly carriedLists?: ReadonlyMap<StreamName, Date> | undefined
  /**
   * Ids of live tasks that earlier runs stored as not archived. If one of them is missing from the list of tasks, archived tasks are
   * read even if `carriedLists` has them. Default: none.
   */
  readonly storedTasks?: (() => Promise<readonly string[]>) | undefined
  /** Whether earlier runs stored webhooks of the project. Default: no. */
  readonly hasWebhooks?: (() => Promise<boolean>) | undefined
  /**
   * Which of some tasks are due: their comments are read. Default: those whose records count any comment.
   */
  readonly dueTaskComments?: DueTaskComments | undefined
  /** Whether the lists of posts and of files are read, where the service offers them. Default: yes. */
  readonly listsItems?: boolean | undefined
  /**
   * Times of the last complete readings of lists, which may be carried if the request budget is used up, and are if the service no longer
   * offers the list. Default: none.
   */
  readonly lastReadings?: ReadonlyMap<StreamName, Date> | undefined
  /**
   * By stream, the time since which a reading is recent enough to be carried if the request budget is used up. Default: none is
   * recent enough, so that what is not read fails.
   */
  readonly recentSince?: ReadonlyMap<StreamName, Date> | undefined
  /** The service lists neither posts nor files: these are read, and those that are discovered in links and comments. */
  readonly knownPosts?: readonly KnownId[] | undefined
  readonly knownFiles?: readonly KnownId[] | undefined
  /** After this many doubtful ids of a kind were not found, the others are left for a later run. Default: no limit. */
  readonly maxMissing?: number | undefined
  /** Whether ids that fields and links name are read in addition to those that are known or that the service lists. Default: yes. */
  readonly followDiscovered?: boolean | undefined
  /** Additional forms of links (see `findLinks`). */
  readonly linkPatterns?: readonly LinkPattern[] | undefined
  /** Which links of the usual forms count. Default: those that are relative, on `worktile.com`, or name the project that is read. */
  readonly linkRule?: LinkRule | undefined
  /** Why scopes of a project without permission are skipped. Default: `NO_PERMISSION`. */
  readonly noPermission?: ScopeResult['error'] | undefined
  readonly signal?: AbortSignal | undefined
}

/** Options without a default here. */
type Open =
  | 'eventsWindow'
  | 'storedEvents'
  | 'eventsToConfirm'
  | 'storedTasks'
  | 'hasWebhooks'
  | 'dueTaskComments'
  | 'archivedPageSize'
  | 'archivedPages'
  | 'linkRule'
  | 'signal'

/** `ReadProjectOptions` with all defaults filled in. */
export type ResolvedOptions = Pick<ReadProjectOptions, Open> & {
  readonly [Name in Exclude<keyof ReadProjectOptions, Open | 'streams'>]-?: NonNullable<ReadProjectOptions[Name]>
} & { readonly streams: readonly StreamName[] }

/** The service has no earlier events. */
export const EVENTS_FROM = new Date('2010-01-01T00:00:00.000Z')

/** Few events are planned further ahead. */
const EVENTS_YEARS_AHEAD = 2

/** The end of the range of events that is read at a time by default. */
export function defaultEventsTo(at: Date): Date {
  const to = new Date(at)
  to.setUTCFullYear(to.getUTCFullYear() + EVENTS_YEARS_AHEAD)
  return to
}

const UNREADABLE = { code: NO_PERMISSION, message: 'the token may not operate in this project (permission 0)' }

/**
 * Fills in the defaults.
 * @throws RangeError for an unknown stream, an invalid range of events or an invalid number
 */
export function resolveOptions(options: ReadProjectOptions): ResolvedOptions {
  const { eventsFrom = EVENTS_FROM, eventsTo = defaultEventsTo(new Date()) } = options
  checkRange({ from: eventsFrom.getTime(), to: eventsTo.getTime() })
  checkNumbers(options)
  for (const stream of options.streams ?? []) {
    if (!STREAMS.includes(stream)) throw new RangeError(`there is no stream ${stream}: use ${STREAMS.join(', ')}`)
  }
  return {
    ...options,
    streams: STREAMS.filter((stream) => options.streams?.has(stream) ?? true),
    eventsFrom,
    eventsTo,
    carriedLists: options.carriedLists ?? new Map(),
    lastReadings: options.lastReadings ?? new Map(),
    recentSince: options.recentSince ?? new Map(),
    knownPosts: options.knownPosts ?? [],
    knownFiles: options.knownFiles ?? [],
    maxMissing: options.maxMissing ?? Infinity,
    followDiscovered: options.followDiscovered ?? true,
    listsItems: options.listsItems ?? true,
    linkPatterns: options.linkPatterns ?? [],
    noPermission: options.noPermission ?? UNREADABLE,
  }
}

function checkNumbers({ archivedPageSize = 1, maxMissing = 0, eventsWindow = 1 }: ReadProjectOptions): void {
  if (!Number.isSafeInteger(archivedPageSize) || archivedPageSize < 1) {
    throw new RangeError(`archivedPageSize must be a whole number of at least 1, not ${archivedPageSize}`)
  }
  if (!(eventsWindow >= 1)) {
    throw new RangeError(`eventsWindow must be a number of milliseconds of at least 1, not ${eventsWindow}`)
  }
  if (!(maxMissing >= 0)) throw new RangeError(`maxMissing must be a number of at least 0, not ${maxMissing}`)
}
