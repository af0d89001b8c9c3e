import { applyTo, DAY, HOUR, type LogEvent, type TaskState } from './world.ts'

export const NIGHTS = 15
const TASKS = 400
const GROUPS = ['todo', 'doing', 'review']

/** Projects, named for what happens to them. */
export interface Cast {
  readonly plain: readonly string[]
  /** Listed with permission 0 until night 5. */
  readonly late: string
  /** Archived in the service before night 8. */
  readonly closed: string
  /** Archived before the first night. */
  readonly old: string
  /** Listed with permission 0 from night 10 on. */
  readonly lost: string
  /** Deleted before night 12. */
  readonly gone: string
  /** Without a task until one is moved there or created. */
  readonly empty: string
}

/** Numbers that depend on the seed alone (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }
}

/** The log of what happened before the first night, and between the nights; `first` is the time of the first one. */
export function writeLog(cast: Cast, uids: readonly string[], first: number, seed: number): LogEvent[] {
  const roll = dice(seed)
  const log: LogEvent[] = []
  const tasks = new Map<string, TaskState>()
  const add = (event: LogEvent) => {
    log.push(event)
    applyTo(tasks, event)
  }
  const pick = <T>(from: readonly T[]) => from[roll(from.length)] as T // never of an empty list
  const open = [...cast.plain, ...cast.plain, cast.late, cast.closed, cast.old, cast.lost, cast.gone]
  const create = (at: number, pid: string) => {
    const due = roll(3) === 0 ? at + roll(60 * 24) * HOUR : null
    add({ kind: 'created', at, tid: `t${String(tasks.size).padStart(4, '0')}`, pid, group: pick(GROUPS), due })
  }

  for (let number = 0; number < TASKS; number += 1) {
    const at = first - DAY - roll(299 * 24) * HOUR - roll(3_600_000)
    create(at, pick(open))
    const [tid = ''] = [...tasks.keys()].slice(-1)
    for (const uid of uids) if (roll(4) === 0) add({ kind: 'assigned', at: at + 1, tid, uid })
    if (roll(2) === 0) add({ kind: 'completed', at: at + 2 + roll(first - at - 4), tid })
    if (tasks.get(tid)?.completedAt !== null && roll(2) === 0) add({ kind: 'archived', at: first - 1, tid })
  }

  for (let night = 1; night < NIGHTS; night += 1) {
    const from = first + (night - 1) * DAY
    const isOver = (pid: string) => (night >= 12 && pid === cast.gone) || (night >= 8 && pid === cast.closed)
    const times = Array.from({ length: 45 }, () => from + HOUR + roll(22 * HOUR)).sort((a, b) => a - b)
    for (const [index, at] of times.entries()) {
      if (index < 5) create(at, pick([...open, cast.empty].filter((pid) => !isOver(pid))))
      const task = pick([...tasks.values()].filter(({ isDeleted, createdAt }) => !isDeleted && createdAt < at))
      if (!isOver(task.pid)) change(task, at, night)
    }
    const last = from + 23.5 * HOUR
    const project = (kind: 'project archived' | 'project deleted' | 'access given' | 'access lost', pid: string) =>
      add({ kind, at: last, tid: '', pid })
    if (night === 5) project('access given', cast.late)
    if (night === 8) project('project archived', cast.closed)
    if (night === 10) project('access lost', cast.lost)
    if (night === 12) {
      for (const { tid, pid, isDeleted } of tasks.values())
        if (pid === cast.gone && !isDeleted) add({ kind: 'deleted', at: last, tid })
      project('project deleted', cast.gone)
    }
  }
  return log

  function change(task: TaskState, at: number, night: number): void {
    const { tid } = task
    const isOpen = task.completedAt === null
    const what = roll(20)
    if (task.isArchived) {
      if (what === 0) add({ kind: 'deleted', at, tid })
    } else if (what < 6) add({ kind: isOpen ? 'completed' : 'archived', at, tid })
    else if (what < 8) {
      // a project that was not read yet shows what it has by then, so that reopened tasks count as open until then
      if (!isOpen && task.pid !== cast.late) add({ kind: 'reopened', at, tid })
    } else if (what === 8) add({ kind: 'archived', at, tid })
    else if (what === 9) add({ kind: 'deleted', at, tid })
    else if (what < 12) add({ kind: 'due', at, tid, due: roll(4) === 0 ? null : at + (roll(20) - 6) * DAY })
    else if (what < 14) add({ kind: 'group', at, tid, group: pick(GROUPS) })
    else if (what < 18) {
      const uid = pick(uids)
      add({ kind: task.members.has(uid) ? 'unassigned' : 'assigned', at, tid, uid })
    } else {
      const others = [...cast.plain, cast.empty, ...(night > 5 ? [cast.late] : [])].filter((pid) => pid !== task.pid)
      if (task.pid !== cast.late || night > 5) add({ kind: 'moved', at, tid, pid: pick(others) })
      // often moved and completed in one day, so that one run sees both
      if (isOpen && roll(2) === 0) add({ kind: 'completed', at: at + 60_000, tid })
    }
  }
}
