import { createHash } from 'node:crypto'
import { duration, type Settings } from '@collab-etl/cli'
import type { StreamName } from '@collab-etl/contract/streams'
import type { ItemReading } from '@collab-etl/warehouse'

/** Streams that need not be read in every run, because they cost the most requests. */
export const REFRESHED = ['posts', 'files', 'archived_tasks', 'task_comments'] as const satisfies readonly StreamName[]

type Refreshed = (typeof REFRESHED)[number]

/** By stream, the longest time in milliseconds between two readings of a record. 0: read in every run, as are streams without one. */
export type RefreshPolicy = ReadonlyMap<Refreshed, number>

const DAY_MS = 86_400_000

/** Records that changed within this time are read in every run, because they are likely to change again. */
const RECENT_MS = 30 * DAY_MS

/** The period of streams without one, if there is a request budget: exit code 3 if something is unread for longer. */
export const DEFAULT_PERIOD_MS = 7 * DAY_MS

/** The period of comments of tasks: the count of comments in their task shows most changes, but not an edited comment. */
export const TASK_COMMENTS_PERIOD_MS = 30 * DAY_MS

/** The period in which the service is asked for each event outside the range. */
export const OUTSIDE_EVENTS_PERIOD_MS = 30 * DAY_MS

/** Time between two runs. A record whose period would end before the next run is read now. */
const NIGHT_MS = DAY_MS

/**
 * Reads a policy such as `posts=7d,files=30d`, or a map of the config file.
 * @throws Error whose message continues the setting's name
 */
export function parseRefresh(value: unknown): RefreshPolicy {
  const pairs =
    typeof value === 'string'
      ? value.split(',').map((part) => part.split('=').map((word) => word.trim()))
      : typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value)
        : []
  const example = `such as ${typeof value === 'string' ? 'posts=7d,files=30d' : 'posts: 7d'}`
  if (pairs.length === 0) throw new Error(`must hold streams and periods, ${example}`)
  const policy = new Map<Refreshed, number>()
  for (const [name, period, ...more] of pairs) {
    const stream = REFRESHED.find((known) => known === name)
    if (stream === undefined) throw new Error(`can name ${REFRESHED.join(', ')}, not "${String(name)}"`)
    if (period === undefined || more.length > 0) throw new Error(`must hold a period for ${stream}, ${example}`)
    if (policy.has(stream)) throw new Error(`names ${stream} twice`)
    try {
      policy.set(stream, /^0[smhdwy]$/.test(String(period)) ? 0 : duration(String(period)))
    } catch (error) {
      throw new Error(`${stream} ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    }
  }
  return policy
}

/** @throws Error whose message continues the setting's name */
export function parseMaxRequests(value: unknown): number {
  const requests = Number(value)
  if (/^\d{1,12}$/.test(String(value)) && requests >= 1) return requests
  throw new Error(`must be a whole number above 0, not "${String(value)}"`)
}

/** In milliseconds. @throws Error whose message continues the setting's name */
export function parseMaxDuration(value: unknown): number {
  return duration(String(value))
}

/** The refresh policy and the request budget. */
export interface RefreshOptions {
  /** Empty: everything is read in every run. */
  readonly refresh: RefreshPolicy
  /** The request budget, in requests and in milliseconds. */
  readonly maxRequests: number | undefined
  readonly maxDurationMs: number | undefined
}

export function hasBudget({ maxRequests, maxDurationMs }: RefreshOptions): boolean {
  return maxRequests !== undefined || maxDurationMs !== undefined
}

/** Policy and budget. Flags take precedence over the config file, whose values were parsed by the same rules. */
export function refreshOptions(
  file: Settings['file'],
  flags: { readonly refresh: RefreshPolicy | undefined } & Readonly<
    Record<'max-requests' | 'max-duration', number | undefined>
  >,
): RefreshOptions {
  return {
    refresh: flags.refresh ?? (file['refresh'] as RefreshPolicy | undefined) ?? new Map(),
    maxRequests: flags['max-requests'] ?? (file['max_requests'] as number | undefined),
    maxDurationMs: flags['max-duration'] ?? (file['max_duration'] as number | undefined),
  }
}

/** Keys of the config file, and how each is parsed. */
export const REFRESH_KEYS = { refresh: parseRefresh, max_requests: parseMaxRequests, max_duration: parseMaxDuration }

/** The policy as a text; equal policies have equal texts. */
export function showRefresh(policy: RefreshPolicy): string {
  return REFRESHED.flatMap((stream) => {
    const period = policy.get(stream)
    return period === undefined ? [] : [`${stream}=${period}`]
  }).join()
}

/**
 * Whether a record that was last read at `readAt` must be read now. Readings are one night less than `period` apart, so that a record is read
 * within its period if there is a run each night. The record's id determines its night, so that records that were first read together are
 * spread over the nights.
 */
export function isDue(id: string, { readAt, changedAt }: ItemReading, period: number, now: Date): boolean {
  const spacing = period - NIGHT_MS
  // a time in the future was recorded by a wrong clock
  if (readAt === null || readAt > now || spacing <= 0) return true
  if (changedAt !== null && changedAt.getTime() > now.getTime() - RECENT_MS) return true
  const phase = phaseOf(id) * spacing
  const turns = (time: Date) => Math.floor((time.getTime() + phase) / spacing)
  return turns(now) > turns(readAt)
}

/** A number of at least 0 and below 1, evenly distributed over ids. */
function phaseOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
}
