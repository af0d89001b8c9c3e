import { createHash } from 'node:crypto'
import { duration, type Settings } from '@collab-etl/cli'
import { STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { KnownId, ReadProjectOptions } from '@collab-etl/core'
import type { ItemReading, KnownKind, ListReading, Run, ScopeToReread, Warehouse } from '@collab-etl/warehouse'
import type { KnownThings } from '../reading/stored.ts'
import type { SnapshotOptions } from './options.ts'

/** Streams that need not be read in every run, because they cost the most requests. */
const REFRESHED = ['posts', 'files', 'archived_tasks'] as const satisfies readonly StreamName[]

type Refreshed = (typeof REFRESHED)[number]

/** By stream, the longest time in milliseconds between two readings of a record. Streams without one are read in every run. */
export type RefreshPolicy = ReadonlyMap<Refreshed, number>

const DAY_MS = 86_400_000

/** What changed since then is read in every run: it is likely to change again. */
const RECENT_MS = 30 * DAY_MS

/** Without a period of its own, nothing should be unread for longer: a request budget is made for nightly runs. */
const DEFAULT_PERIOD_MS = 7 * DAY_MS

/** From one night to the next. A record whose period would end before the next night is read now. */
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
      policy.set(stream, duration(String(period)))
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

/**
 * A length of time in milliseconds; `m` are minutes.
 * @throws Error whose message continues the setting's name
 */
export function parseMaxDuration(value: unknown): number {
  const [, minutes] = /^(\d{1,5})m$/.exec(String(value)) ?? []
  if (Number(minutes) > 0) return Number(minutes) * 60_000
  try {
    return duration(String(value))
  } catch {
    throw new Error(`must be a length of time such as 90m, 4h or 1d, not "${String(value)}"`)
  }
}

/** Policy and budget: a flag beats the config file, whose values were parsed as the flags are. */
export function refreshOptions(
  file: Settings['file'],
  flags: { readonly refresh: RefreshPolicy | undefined } & Readonly<
    Record<'max-requests' | 'max-duration', number | undefined>
  >,
): Pick<SnapshotOptions, 'refresh' | 'maxRequests' | 'maxDurationMs'> {
  return {
    refresh: flags.refresh ?? (file['refresh'] as RefreshPolicy | undefined) ?? new Map(),
    maxRequests: flags['max-requests'] ?? (file['max_requests'] as number | undefined),
    maxDurationMs: flags['max-duration'] ?? (file['max_duration'] as number | undefined),
  }
}

/** Keys of the config file, and how each is parsed. */
export const REFRESH_KEYS = { refresh: parseRefresh, max_requests: parseMaxRequests, max_duration: parseMaxDuration }

/** The policy as a text: equal policies have equal texts. */
export function showRefresh(policy: RefreshPolicy): string {
  return REFRESHED.flatMap((stream) => {
    const period = policy.get(stream)
    return period === undefined ? [] : [`${stream}=${period}`]
  }).join()
}

/**
 * Whether a record that was read at `readAt` is to be read now. Readings are `period` less one night apart, so that none is later than
 * its period if there is a run each night. Each record has its own phase, from its id: of records that were first read together, each
 * night has its share.
 */
export function isDue(id: string, { readAt, changedAt }: ItemReading, period: number, now: Date): boolean {
  const spacing = period - NIGHT_MS
  // a time in the future was written under a wrong clock
  if (readAt === null || readAt > now || spacing <= 0) return true
  if (changedAt !== null && changedAt.getTime() > now.getTime() - RECENT_MS) return true
  const phase = phaseOf(id) * spacing
  const turns = (time: Date) => Math.floor((time.getTime() + phase) / spacing)
  return turns(now) > turns(readAt)
}

/** From 0 to below 1, evenly spread over ids. */
function phaseOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE(0) / 2 ** 32
}

/** Which records a run carries: decides for each project before it is read. */
export class Refresh {
  readonly #warehouse: Warehouse
  readonly #now: Date
  readonly #options: SnapshotOptions
  /** Whether everything is to be read, even if a budget does not suffice for it. */
  readonly #isFull: boolean
  /** Last complete readings of lists, by project. */
  readonly #lists: ReadonlyMap<string | null, ReadonlyMap<StreamName, Date>>
  /** Projects of which `compare` found differences. */
  readonly #marked: ReadonlySet<string | null>

  private constructor(
    warehouse: Warehouse,
    now: Date,
    options: SnapshotOptions,
    lists: readonly ListReading[],
    marked: readonly ScopeToReread[],
  ) {
    this.#warehouse = warehouse
    this.#now = now
    this.#options = options
    // the data of another service are not carried
    this.#isFull = options.full || options.rebinds
    this.#marked = new Set(marked.map(({ pid }) => pid))
    const byProject = Map.groupBy(lists, ({ pid }) => pid)
    this.#lists = new Map(
      [...byProject].map(([pid, own]) => [pid, new Map(own.map(({ stream, readAt }) => [stream, readAt]))]),
    )
  }

  static async of(
    warehouse: Warehouse,
    { startedAt }: Run,
    options: SnapshotOptions,
    marked: readonly ScopeToReread[],
  ): Promise<Refresh> {
    const isNeeded = options.refresh.size > 0 || hasBudget(options)
    return new Refresh(warehouse, startedAt, options, isNeeded ? await warehouse.listReadings() : [], marked)
  }

  /** Options of reading a project: what is carried, and what may be carried if the budget does not suffice. */
  async optionsOf(pid: string, known: KnownThings, named: ReadonlySet<string>): Promise<ReadProjectOptions> {
    const [knownPosts, knownFiles] = await Promise.all([
      this.#carry('post', pid, known.knownPosts ?? [], named),
      this.#carry('file', pid, known.knownFiles ?? [], new Set()),
    ])
    const carriedLists = await this.#carriedLists(pid)
    return {
      ...known,
      knownPosts,
      knownFiles,
      carriedLists,
      lastReadings: this.#lists.get(pid),
      ...this.recentSince(pid),
    }
  }

  /** Since when a reading of each stream is within its period. */
  recentSince(pid: string): Pick<ReadProjectOptions, 'recentSince'> {
    if (this.#readsAll(pid) || !hasBudget(this.#options)) return {}
    const since = (stream: StreamName) => this.#now.getTime() - (this.#periodOf(stream) ?? DEFAULT_PERIOD_MS)
    return { recentSince: new Map(STREAMS.map((stream) => [stream, new Date(since(stream))])) }
  }

  /** With a budget, projects whose lists were read longest ago, or never, are the first. */
  ordered<P extends { readonly pid: string }>(projects: readonly P[]): P[] {
    if (!hasBudget(this.#options)) return [...projects]
    const lists = LISTS.filter((stream) => this.#options.streams.has(stream))
    const oldest = ({ pid }: P) => Math.min(...lists.map((stream) => this.#lists.get(pid)?.get(stream)?.getTime() ?? 0))
    return projects.toSorted((a, b) => oldest(a) - oldest(b))
  }

  async #carriedLists(pid: string): Promise<ReadonlyMap<StreamName, Date>> {
    const period = this.#periodOf('archived_tasks')
    const readAt = this.#lists.get(pid)?.get('archived_tasks')
    if (period === undefined || readAt === undefined || this.#readsAll(pid)) return new Map()
    const changedAt = await this.#warehouse.archivedChangedAt(pid)
    return isDue(pid, { readAt, changedAt }, period, this.#now) ? new Map() : new Map([['archived_tasks', readAt]])
  }

  /** Marks the known posts or files of a project that are not due as carried. Those that the user names are due. */
  async #carry(
    kind: KnownKind,
    pid: string,
    known: readonly KnownId[],
    named: ReadonlySet<string>,
  ): Promise<readonly KnownId[]> {
    const period = this.#readsAll(pid) ? undefined : this.#periodOf(`${kind}s`)
    if (period === undefined && !hasBudget(this.#options)) return known
    const readings = await this.#warehouse.itemReadings(kind, pid)
    return known.map((item) => {
      const reading = readings.get(item.id)
      if (reading === undefined || reading.readAt === null || named.has(item.id)) return item
      const { readAt } = reading
      const isRead = period === undefined || isDue(item.id, reading, period, this.#now)
      return { ...item, ...(isRead ? { readAt } : { carriedSince: readAt }) }
    })
  }

  #readsAll(pid: string): boolean {
    return this.#isFull || this.#marked.has(pid)
  }

  #periodOf(stream: StreamName): number | undefined {
    const refreshed = REFRESHED.find((known) => known === stream)
    return refreshed && this.#options.refresh.get(refreshed)
  }
}

const LISTS = STREAMS.filter((stream) => stream !== 'posts' && stream !== 'files')

function hasBudget({ maxRequests, maxDurationMs }: Pick<SnapshotOptions, 'maxRequests' | 'maxDurationMs'>): boolean {
  return maxRequests !== undefined || maxDurationMs !== undefined
}
