import { type CommentedTask, isOptional, STREAMS, type StreamName } from '@collab-etl/contract/streams'
import type { EventsRange, KnownId, Offered, ReadProjectOptions } from '@collab-etl/core'
import type { KnownKind, ListReading, Run, ScopeToReread, Warehouse } from '@collab-etl/warehouse'
import type { KnownThings } from '../reading/stored.ts'
import type { SnapshotOptions } from './options.ts'
import {
  DEFAULT_PERIOD_MS,
  hasBudget,
  isDue,
  OUTSIDE_EVENTS_PERIOD_MS,
  REFRESHED,
  TASK_COMMENTS_PERIOD_MS,
} from './refresh-policy.ts'

/** Decides for each project, before it is read, which records the run carries. */
export class Refresh {
  readonly #warehouse: Warehouse
  readonly #now: Date
  readonly #options: SnapshotOptions
  /** Whether everything must be read, even if the budget does not suffice. */
  readonly #isFull: boolean
  /** Last complete readings of lists, by project. */
  readonly #lists: ReadonlyMap<string | null, ReadonlyMap<StreamName, Date>>
  /** Projects whose archived tasks a later run failed to read. */
  readonly #failed: ReadonlySet<string | null>
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
    // data of another service is not carried
    this.#isFull = options.full || options.rebinds
    this.#marked = new Set(marked.map(({ pid }) => pid))
    const failed = lists.filter(({ stream, hasFailed }) => stream === 'archived_tasks' && hasFailed)
    this.#failed = new Set(failed.map(({ pid }) => pid))
    const byProject = Map.groupBy(lists, ({ pid }) => pid)
    this.#lists = new Map(
      [...byProject].map(([pid, own]) => [pid, new Map(own.map(({ stream, readAt }) => [stream, readAt]))]),
    )
  }

  static async of(
    warehouse: Warehouse,
    { startedAt }: Pick<Run, 'startedAt'>,
    options: SnapshotOptions,
    { marked, offered }: { readonly marked: readonly ScopeToReread[]; readonly offered: Offered | null },
  ): Promise<Refresh> {
    // what the service no longer offers is carried
    const isNeeded = options.refresh.size > 0 || hasBudget(options) || offered !== null
    return new Refresh(warehouse, startedAt, options, isNeeded ? await warehouse.log.listReadings() : [], marked)
  }

  /** Options for reading a project: what is carried, and what may be carried if the budget does not suffice. */
  async optionsOf(pid: string, known: KnownThings, named: ReadonlySet<string>): Promise<ReadProjectOptions> {
    const [knownPosts, knownFiles] = await Promise.all([
      this.#carry('post', pid, known.knownPosts ?? [], named),
      this.#carry('file', pid, known.knownFiles ?? [], new Set()),
    ])
    const carriedLists = await this.#carriedLists(pid)
    const mayCarryArchived = carriedLists.has('archived_tasks') || hasBudget(this.#options)
    return {
      ...known,
      knownPosts,
      knownFiles,
      carriedLists,
      ...this.listBudget(pid),
      dueTaskComments: (tasks) => this.#dueTaskComments(pid, tasks),
      eventsToConfirm: (range) => this.#eventsToConfirm(pid, range),
      storedTasks: mayCarryArchived ? () => this.#warehouse.log.unarchivedTasks(pid) : undefined,
    }
  }

  /** What may be carried of the lists of a project, or of no project, if the budget does not suffice. */
  listBudget(pid: string | null): Pick<ReadProjectOptions, 'lastReadings' | 'recentSince'> {
    return { lastReadings: this.#lists.get(pid), ...this.recentSince(pid) }
  }

  /** By stream, the time since which a reading is within its period. */
  recentSince(pid: string | null): Pick<ReadProjectOptions, 'recentSince'> {
    if (this.#readsAll(pid) || !hasBudget(this.#options)) return {}
    const since = (stream: StreamName) => this.#now.getTime() - (this.#periodOf(stream) ?? DEFAULT_PERIOD_MS)
    return { recentSince: new Map(STREAMS.map((stream) => [stream, new Date(since(stream))])) }
  }

  /** Sorts projects for a run with a budget: those whose lists were never read or read longest ago come first. */
  ordered<P extends { readonly pid: string }>(projects: readonly P[]): P[] {
    if (!hasBudget(this.#options)) return [...projects]
    const lists = LISTS.filter((stream) => this.#options.streams.has(stream))
    const oldest = ({ pid }: P) => Math.min(...lists.map((stream) => this.#lists.get(pid)?.get(stream)?.getTime() ?? 0))
    return projects.toSorted((a, b) => oldest(a) - oldest(b))
  }

  async #carriedLists(pid: string): Promise<ReadonlyMap<StreamName, Date>> {
    const period = this.#periodOf('archived_tasks')
    const readAt = this.#lists.get(pid)?.get('archived_tasks')
    if (period === undefined || readAt === undefined || this.#failed.has(pid) || this.#readsAll(pid)) return new Map()
    const changedAt = await this.#warehouse.log.archivedChangedAt(pid)
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
    const readings = await this.#warehouse.log.itemReadings(kind, pid)
    return known.map((item) => {
      const reading = readings.get(item.id)
      if (reading === undefined || reading.readAt === null || named.has(item.id)) return item
      const { readAt } = reading
      const isRead = period === undefined || isDue(item.id, reading, period, this.#now)
      return { ...item, ...(isRead ? { readAt } : { carriedSince: readAt }) }
    })
  }

  /** Comments are read again when their task has changed, and once per period. */
  async #dueTaskComments(pid: string, tasks: readonly CommentedTask[]): Promise<readonly string[]> {
    const period = this.#readsAll(pid) ? 0 : (this.#periodOf('task_comments') ?? TASK_COMMENTS_PERIOD_MS)
    const readings = await this.#warehouse.log.taskCommentReadings(pid, tasks)
    return readings
      .filter(({ tid, readAt }) => isDue(tid, { readAt, changedAt: null }, period, this.#now))
      .map(({ tid }) => tid)
  }

  /** Events outside the range: at once, and then once per period. A request budget is for the lists of other projects. */
  async #eventsToConfirm(pid: string, range: EventsRange): Promise<readonly string[]> {
    if (hasBudget(this.#options) && !this.#readsAll(pid)) return []
    const period = this.#readsAll(pid) ? 0 : OUTSIDE_EVENTS_PERIOD_MS
    const readings = await this.#warehouse.log.outsideReadings(pid, range)
    return readings
      .filter(({ eventId, readAt }) => isDue(eventId, { readAt, changedAt: null }, period, this.#now))
      .map(({ eventId }) => eventId)
      .slice(0, MOST_OUTSIDE_EVENTS)
  }

  #readsAll(pid: string | null): boolean {
    return this.#isFull || this.#marked.has(pid)
  }

  #periodOf(stream: StreamName): number | undefined {
    const refreshed = REFRESHED.find((known) => known === stream)
    return refreshed && this.#options.refresh.get(refreshed)
  }
}

/** A range that became much narrower leaves thousands of events out: so many of a project are asked for in a run, a request each. */
const MOST_OUTSIDE_EVENTS = 500

const LISTS = STREAMS.filter((stream) => stream !== 'posts' && stream !== 'files' && !isOptional(stream))
