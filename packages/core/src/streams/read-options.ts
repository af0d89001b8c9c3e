import { checkRange } from '../walk/events.ts'
import type { PageStore } from '../walk/page-store.ts'
import type { LinkPattern } from './links.ts'
import { type ScopeResult, STREAMS, type StreamName } from './scope.ts'

/** An id known before, and where from. */
export interface KnownId {
  readonly id: string
  readonly source: string
}

/** Options of reading a project. */
export interface ReadProjectOptions {
  /** Default: all. */
  readonly streams?: ReadonlySet<StreamName> | undefined
  /** Events that touch this range, both ends included. Default: 2010-01-01 to two years from now. */
  readonly eventsFrom?: Date | undefined
  readonly eventsTo?: Date | undefined
  /** Default: that of `archivedTasks`. */
  readonly archivedPageSize?: number | undefined
  /** Keeps pages of the archived walk, so that one that is broken off need not begin anew. Default: none. */
  readonly archivedPages?: PageStore | undefined
  /** The service lists neither posts nor files: these are read, and those that links and comments lead to from there. */
  readonly knownPosts?: readonly KnownId[] | undefined
  readonly knownFiles?: readonly KnownId[] | undefined
  /** Whether these are read as well as the given ones. Default: yes. */
  readonly followFound?: boolean | undefined
  /** Forms of links besides the usual ones (see `findLinks`). */
  readonly linkPatterns?: readonly LinkPattern[] | undefined
  /** Why scopes of a project without permission are skipped. Default: `NO_PERMISSION`. */
  readonly noPermission?: ScopeResult['error'] | undefined
  readonly signal?: AbortSignal | undefined
}

/** The same with all defaults filled in. */
export interface ResolvedOptions {
  readonly streams: readonly StreamName[]
  readonly eventsFrom: Date
  readonly eventsTo: Date
  readonly archivedPageSize: number | undefined
  readonly archivedPages: PageStore | undefined
  readonly knownPosts: readonly KnownId[]
  readonly knownFiles: readonly KnownId[]
  readonly followFound: boolean
  readonly linkPatterns: readonly LinkPattern[]
  readonly noPermission: NonNullable<ScopeResult['error']>
  readonly signal: AbortSignal | undefined
}

/** Before it, services of this kind were few. */
const EVENTS_FROM = new Date('2010-01-01T00:00:00.000Z')

/** People plan no further. */
const EVENTS_YEARS_AHEAD = 2

const NO_PERMISSION = { code: 'NO_PERMISSION', message: 'the token may not operate in this project (permission 0)' }

/** Fills in the defaults; throws a `RangeError` where the range of events is none. */
export function resolveOptions(options: ReadProjectOptions): ResolvedOptions {
  const { eventsFrom = EVENTS_FROM, eventsTo = yearsFromNow(EVENTS_YEARS_AHEAD) } = options
  checkRange({ from: eventsFrom.getTime(), to: eventsTo.getTime() })
  return {
    streams: STREAMS.filter((stream) => options.streams?.has(stream) ?? true),
    eventsFrom,
    eventsTo,
    archivedPageSize: options.archivedPageSize,
    archivedPages: options.archivedPages,
    knownPosts: options.knownPosts ?? [],
    knownFiles: options.knownFiles ?? [],
    followFound: options.followFound ?? true,
    linkPatterns: options.linkPatterns ?? [],
    noPermission: options.noPermission ?? NO_PERMISSION,
    signal: options.signal,
  }
}

function yearsFromNow(years: number): Date {
  const date = new Date()
  date.setUTCFullYear(date.getUTCFullYear() + years)
  return date
}
