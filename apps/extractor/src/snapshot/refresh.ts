import { createHash } from 'node:crypto'
import { duration } from '@collab-etl/cli'
import type { StreamName } from '@collab-etl/contract/streams'
import type { KnownId } from '@collab-etl/core'
import type { ItemReading, KnownKind, Run, ScopeToReread, Warehouse } from '@collab-etl/warehouse'
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
  readonly #policy: RefreshPolicy
  /** Last complete readings of archived tasks, by project. */
  readonly #archived: ReadonlyMap<string | null, Date>
  /** Projects of which `compare` found differences. */
  readonly #marked: ReadonlySet<string | null>

  private constructor(of: {
    warehouse: Warehouse
    now: Date
    policy: RefreshPolicy
    archived: ReadonlyMap<string | null, Date>
    marked: ReadonlySet<string | null>
  }) {
    this.#warehouse = of.warehouse
    this.#now = of.now
    this.#policy = of.policy
    this.#archived = of.archived
    this.#marked = of.marked
  }

  /** With `--full`, or data of another service, everything is read. */
  static async of(
    warehouse: Warehouse,
    { startedAt: now }: Run,
    { refresh, full, rebinds }: SnapshotOptions,
    marked: readonly ScopeToReread[],
  ): Promise<Refresh> {
    const policy: RefreshPolicy = full || rebinds ? new Map() : refresh
    const lists = policy.has('archived_tasks') ? await warehouse.listReadings() : []
    const archived = lists.filter(({ stream }) => stream === 'archived_tasks')
    return new Refresh({
      ...{ warehouse, now, policy },
      archived: new Map(archived.map(({ pid, readAt }) => [pid, readAt])),
      marked: new Set(marked.map(({ pid }) => pid)),
    })
  }

  /** Marks the known posts and files of a project that are not due as carried. Those that the user names are due. */
  async carry(pid: string, known: KnownThings, named: ReadonlySet<string>): Promise<KnownThings> {
    const [knownPosts, knownFiles] = await Promise.all([
      this.#carryOf('post', pid, known.knownPosts ?? [], named),
      this.#carryOf('file', pid, known.knownFiles ?? [], new Set()),
    ])
    return { ...known, knownPosts, knownFiles }
  }

  /** The lists of a project that are not due, with the times of their last readings. */
  async carriedLists(pid: string): Promise<ReadonlyMap<StreamName, Date>> {
    const period = this.#policy.get('archived_tasks')
    const readAt = this.#archived.get(pid)
    if (period === undefined || readAt === undefined || this.#marked.has(pid)) return new Map()
    const changedAt = await this.#warehouse.archivedChangedAt(pid)
    return isDue(pid, { readAt, changedAt }, period, this.#now) ? new Map() : new Map([['archived_tasks', readAt]])
  }

  async #carryOf(
    kind: KnownKind,
    pid: string,
    known: readonly KnownId[],
    named: ReadonlySet<string>,
  ): Promise<readonly KnownId[]> {
    const period = this.#policy.get(`${kind}s`)
    if (period === undefined || this.#marked.has(pid)) return known
    const readings = await this.#warehouse.itemReadings(kind, pid)
    return known.map((item) => {
      const reading = readings.get(item.id)
      if (reading === undefined || reading.readAt === null || named.has(item.id)) return item
      return isDue(item.id, reading, period, this.#now) ? item : { ...item, carriedSince: reading.readAt }
    })
  }
}
