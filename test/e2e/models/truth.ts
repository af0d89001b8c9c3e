import { NIGHTS } from './script.ts'
import { applyTo, DAY, type LogEvent, type TaskState } from './world.ts'

export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** What one run could see of a project. Its tasks are those of the last run that could read it. */
interface Seen {
  readonly tasks: ReadonlyMap<string, Readonly<TaskState>>
  readonly isFresh: boolean
  readonly isArchived: boolean
  readonly isDeleted: boolean
}

/** One completion as runs could see it: of several between two runs, the last. */
export interface Completion {
  readonly pid: string
  readonly tid: string
  /** When it happened; `null` if only a time by which it had happened could be known. */
  readonly completedAt: number | null
  /** The day that it counts on. */
  readonly countedAt: number
  readonly shownIn: number
}

/** Figures of the log at the times of runs. Run `n` begins `n` days after `first`. */
export class Truth {
  readonly pids: readonly string[]
  readonly completions: Completion[] = []
  /** Where each task was first seen, and when it was created. */
  readonly created = new Map<string, { readonly pid: string; readonly at: number }>()
  /** Number of the first run that read a project's tasks. */
  readonly readFrom = new Map<string, number>()
  readonly #first: number
  readonly #seen: ReadonlyMap<string, Seen>[] = []

  constructor(
    log: readonly LogEvent[],
    pids: readonly string[],
    isOpenAtFirst: (pid: string) => boolean,
    first: number,
  ) {
    this.pids = pids
    this.#first = first
    const tasks = new Map<string, TaskState>()
    const projects = new Map(
      pids.map((pid) => [pid, { isReadable: isOpenAtFirst(pid), isArchived: false, isDeleted: false }]),
    )
    let next = 0
    for (let run = 0; run < NIGHTS; run += 1) {
      for (; next < log.length; next += 1) {
        const event = log[next]
        if (event === undefined || event.at >= this.timeOf(run)) break
        applyTo(tasks, event)
        const project = 'pid' in event ? projects.get(event.pid) : undefined
        if (project === undefined) continue
        if (event.kind === 'access given') project.isReadable = true
        if (event.kind === 'access lost') project.isReadable = false
        if (event.kind === 'project archived') project.isArchived = true
        if (event.kind === 'project deleted') project.isDeleted = true
      }
      this.#seen.push(
        new Map(
          [...projects].map(([pid, { isReadable, isArchived, isDeleted }]) => {
            const own = [...tasks.values()].filter((task) => task.pid === pid && !task.isDeleted)
            const fresh = new Map(own.map((task) => [task.tid, { ...task, members: new Set(task.members) }]))
            const before = this.#seen[run - 1]?.get(pid)?.tasks ?? new Map<string, TaskState>()
            const isFresh = isReadable && !isDeleted
            if (isFresh && !this.readFrom.has(pid)) this.readFrom.set(pid, run)
            return [pid, { tasks: isReadable ? fresh : before, isFresh, isArchived, isDeleted }]
          }),
        ),
      )
    }
    for (let run = 0; run < NIGHTS; run += 1)
      for (const pid of pids)
        for (const { tid, createdAt } of this.seen(pid, run).tasks.values())
          if (!this.created.has(tid)) this.created.set(tid, { pid, at: createdAt })
    for (const tid of this.created.keys()) this.#addCompletions(tid)
  }

  timeOf(run: number): number {
    return this.#first + run * DAY
  }

  seen(pid: string, run: number): Seen {
    const seen = this.#seen[run]?.get(pid)
    if (seen === undefined) throw new Error(`no run ${run} of ${pid}`)
    return seen
  }

  /** What the last run showed of tasks that it did not find deleted. */
  get last(): readonly Readonly<TaskState>[] {
    return this.pids.flatMap((pid) => [...this.seen(pid, NIGHTS - 1).tasks.values()])
  }

  /** Tasks of a project at the end of the day of a run that had read it. */
  counts(pid: string, run: number): { open: number; completed: number; archived: number; overdue: number } {
    const tasks = [...this.seen(pid, run).tasks.values()]
    const open = tasks.filter(({ completedAt, isArchived }) => completedAt === null && !isArchived)
    return {
      open: open.length,
      completed: tasks.filter(({ completedAt, isArchived }) => completedAt !== null && !isArchived).length,
      archived: tasks.filter(({ isArchived }) => isArchived).length,
      overdue: open.filter(({ due }) => due !== null && dayOf(due) <= dayOf(this.timeOf(run))).length,
    }
  }

  /** Tasks that the project's first reading found, as they were at the end of a day before it. */
  countsBefore(pid: string, day: string): { open: number; completed: number; overdue: number } {
    const found = [...this.seen(pid, this.readFrom.get(pid) ?? 0).tasks.values()].filter(
      ({ createdAt }) => dayOf(createdAt) <= day,
    )
    const isClosed = (task: TaskState) => {
      if (task.completedAt !== null) return dayOf(task.isArchived ? task.updatedAt : task.completedAt) <= day
      return task.isArchived && dayOf(task.updatedAt) <= day
    }
    const open = found.filter((task) => !isClosed(task))
    return {
      open: open.length,
      completed: found.length - open.length,
      overdue: open.filter(({ due }) => due !== null && dayOf(due) <= day).length,
    }
  }

  createdOn(pid: string, day: string): number {
    return [...this.created.values()].filter((task) => task.pid === pid && dayOf(task.at) === day).length
  }

  completedOn(pid: string, day: string): number {
    return this.completions.filter((each) => each.pid === pid && dayOf(each.countedAt) === day).length
  }

  /** A task as the runs that read its project saw it, one after the other. */
  sightings(tid: string): { run: number; pid: string; task: Readonly<TaskState> }[] {
    return this.#seen.flatMap((projects, run) =>
      [...projects].flatMap(([pid, { tasks, isFresh }]) => {
        const task = tasks.get(tid)
        return task === undefined || !isFresh ? [] : [{ run, pid, task }]
      }),
    )
  }

  #addCompletions(tid: string): void {
    let wasOpen = false
    let current: (Completion & { completedAt: number | null; countedAt: number }) | null = null
    for (const { run, pid, task } of this.sightings(tid)) {
      if (task.completedAt === null) {
        wasOpen = true
        current = null
        continue
      }
      const sentAt = task.isArchived ? null : task.completedAt
      if (current === null) {
        const isDated = wasOpen || task.createdAt > this.timeOf(this.readFrom.get(pid) ?? 0)
        const completedAt = sentAt ?? (isDated ? this.timeOf(run) : null)
        current = { pid, tid, shownIn: run, completedAt, countedAt: completedAt ?? task.updatedAt }
        this.completions.push(current)
      } else if (sentAt !== null) {
        current.completedAt = sentAt
        current.countedAt = sentAt
      }
    }
  }
}
