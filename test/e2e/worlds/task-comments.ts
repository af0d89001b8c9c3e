import type { ProjectTruth } from '@collab-etl/sandbox'
import { STORED } from './access.ts'
import { areSame, between, byKey, type Rows } from './judge.ts'
import { type Row, rowsOfComments } from './rows.ts'
import type { Allowed, Seen } from './truth.ts'

/** At most this many tasks may lose any number of comments without `--allow-shrink`. */
const FEW_TASKS = 3

interface At {
  readonly truth: ProjectTruth
  readonly old: Rows
  readonly seen: Seen
  readonly allowed: Allowed
}

/** Comments of tasks: read where a task has or had some, and again only when it has changed (docs/guarantees.md). */
export class TaskComments {
  /** By project and task: its number of comments and its time when they were last read. */
  readonly #noted = new Map<string, string>()
  readonly #refused = new Set<string>()

  /** The tasks whose comments the night has read. */
  read({ truth, old, seen, allowed }: At): Set<string> {
    const { pid } = truth.detail
    const statusOf = (stream: string) => seen.scopes.get(`${pid} ${stream}`)?.status ?? ''
    if (!STORED.includes(statusOf('task_comments'))) return new Set()
    const stored = new Set([...old.values()].map(taskOf))
    const listed = [
      ...(STORED.includes(statusOf('tasks')) ? truth.tasks : []),
      ...(STORED.includes(statusOf('archived_tasks')) ? truth.archived_tasks : []),
    ]
    const due = listed.filter((task) => {
      const { tid, badges } = task
      const isNew = allowed.isFull || this.#noted.get(`${pid} ${tid}`) !== noteOf(task)
      return isNew && (badges.comment_count > 0 || stored.has(tid)) && !seen.unread.has(`${pid} task_comments ${tid}`)
    })
    return new Set(due.map(({ tid }) => tid))
  }

  /** @param tasks the rows of tasks after the night: with a task, its comments go */
  next(
    { truth, old, seen, allowed }: At,
    { read, inPlace, tasks }: { readonly read: ReadonlySet<string>; readonly inPlace: Rows; readonly tasks: Rows },
  ): { rows: Rows; problems: string[] } {
    const { pid } = truth.detail
    const status = seen.scopes.get(`${pid} task_comments`)?.status
    const [before, found] = [byTask(old), byTask(inPlace)]
    const live = new Set([...tasks.values()].filter(({ table }) => table === 'tasks').map(({ row }) => row['tid']))
    const all = [...new Set([...before.keys(), ...read])].filter((tid) => live.has(tid))
    const rows: Row[] = []
    const problems: string[] = []
    const lost = new Set<string>()
    let missing = 0
    for (const tid of all) {
      const [was = new Map(), is = new Map()] = [before.get(tid), found.get(tid)]
      const fresh = byKey(rowsOfComments(truth, tid))
      const gone = read.has(tid) ? [...was].filter(([key, row]) => isComment(row) && !fresh.has(key)) : []
      missing += gone.length
      if (gone.length > 0) lost.add(tid)
      const isRefused = status === 'refused' && read.has(tid)
      if (isRefused) problems.push(...between(was, fresh, is))
      // a task that has not changed may be asked again
      const isFresh = read.has(tid) || areSame(is, fresh)
      rows.push(...(isRefused ? is : isFresh && status !== undefined ? fresh : was).values())
    }
    const isMuch = missing > [...old.values()].filter(isComment).length / 2
    if (status === 'refused' && !(isMuch || this.#refused.has(pid))) problems.push('refused for no reason')
    if (status === 'complete' && isMuch && lost.size > FEW_TASKS && !allowed.allowsShrink)
      problems.push('complete, though most comments are missing')
    if (status === 'refused') this.#refused.add(pid)
    else if (status === 'complete') this.#refused.delete(pid)
    this.#note(truth, status === 'refused' ? new Set() : read, live)
    return { rows: byKey(rows), problems }
  }

  /** A project that was deleted is read anew when it comes back. */
  forget(pid: string): void {
    for (const key of this.#noted.keys()) if (key.startsWith(`${pid} `)) this.#noted.delete(key)
  }

  #note(
    { detail: { pid }, tasks, archived_tasks }: ProjectTruth,
    read: ReadonlySet<string>,
    live: ReadonlySet<unknown>,
  ) {
    for (const task of [...tasks, ...archived_tasks])
      if (read.has(task.tid)) this.#noted.set(`${pid} ${task.tid}`, noteOf(task))
    for (const key of this.#noted.keys())
      if (key.startsWith(`${pid} `) && !live.has(key.slice(pid.length + 1))) this.#noted.delete(key)
  }
}

function noteOf({ badges, updated_at }: ProjectTruth['archived_tasks'][number]): string {
  return `${badges.comment_count} ${updated_at}`
}

function byTask(rows: Rows): Map<string, Rows> {
  const groups = Map.groupBy(rows.values(), taskOf)
  return new Map([...groups].map(([tid, of]) => [tid, byKey(of)]))
}

function taskOf({ row }: Row): string {
  return String(row['tid'] ?? row['parent_id'])
}

function isComment({ table }: Row): boolean {
  return table === 'task_comments'
}
