import { EPOCH } from '@collab-etl/contract/timestamp'
import { hash, Random } from './random.ts'
import type { BareTaskRecord, CommentRecord, Frozen, ProjectState, TaskRecord, UserRecord } from './state.ts'

type AnyTask = Frozen<TaskRecord | BareTaskRecord>

const TEXT = 1
const HTML = 2
const HOUR = 3_600_000

const TEXTS = [
  'Can somebody else confirm this?',
  'Works now, see the file 👍',
  '请先看一下附件',
  '下周再讨论',
  'Hängt noch von der Freigabe ab.',
  'تم، شكراً',
  '対応しました',
  'a < b && b > c, so **no**',
]

/** Data of other origin may have any number in its counters. */
const MOST_SEEDED = 1000

/**
 * The comments of the tasks of a project. Those of the sample are made when they are read, because there are more of them than of
 * everything else: they depend only on the task's id and the users, and there are as many as its counters say beyond those that were added.
 */
export class TaskComments {
  readonly #project: Frozen<ProjectState>
  readonly #users: readonly Frozen<UserRecord>[]

  constructor(project: Frozen<ProjectState>, users: readonly Frozen<UserRecord>[]) {
    this.#project = project
    this.#users = users.length > 0 ? users : [project.created_by]
  }

  /** The service's own note, those of the sample, those that were added: the oldest first. */
  of(task: AnyTask): CommentRecord[] {
    return [this.#note(task), ...this.withoutNote(task)]
  }

  /** Those that `comment_count` counts. */
  withoutNote(task: AnyTask): CommentRecord[] {
    const added = this.#added(task)
    const files = this.#seededFiles(task)
    const count = seeded(task.badges.comment_count, added.length)
    const comments = Array.from({ length: count }, (_, index) => this.#seededComment(task, index, files[index]))
    return [...comments, ...added]
  }

  /** Files attached to a task or to its comments, as many as `file_count` says; only those that other records name, too. */
  files(task: AnyTask): CommentRecord['files'] {
    return [...this.#seededFiles(task), ...this.#added(task).flatMap(({ files }) => files)]
  }

  #added({ tid }: AnyTask): readonly CommentRecord[] {
    // records are read-only for those who ask
    return (this.#project.task_comments[tid] ?? []) as readonly CommentRecord[]
  }

  #seededFiles(task: AnyTask): CommentRecord['files'] {
    const { attachable = [] } = this.#project
    const added = new Set(this.#added(task).flatMap(({ fids }) => fids))
    const count = seeded(task.badges.file_count, added.size)
    if (count === 0) return []
    const first = hash(task.tid, 1) % Math.max(1, attachable.length)
    const inTurn = [...attachable.slice(first), ...attachable.slice(0, first)]
    return inTurn.filter(({ fid }) => !added.has(fid)).slice(0, count)
  }

  #note(task: AnyTask): CommentRecord {
    const random = new Random(`${task.tid}/note`)
    const message = '创建了任务'
    return {
      ...{ cid: random.id(), message, raw_message: message, type: TEXT, format: TEXT, fids: [], files: [] },
      owner: this.#project.created_by,
      created_at: timeAfter(task, 0),
    }
  }

  #seededComment(task: AnyTask, index: number, file: CommentRecord['files'][number] | undefined): CommentRecord {
    const random = new Random(`${task.tid}/comment ${index}`)
    const raw_message = random.pick(TEXTS)
    const isHtml = random.chance(0.2)
    const files = file === undefined ? [] : [file]
    return {
      cid: random.id(),
      message: isHtml ? `<p>${raw_message.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</p>` : raw_message,
      raw_message,
      type: TEXT,
      format: isHtml ? HTML : TEXT,
      fids: files.map(({ fid }) => fid),
      owner: random.pick(this.#users),
      files,
      created_at: timeAfter(task, index * HOUR + random.int(1, HOUR)),
    }
  }
}

function seeded(counter: number, added: number): number {
  return Math.min(Math.max(0, Number(counter) - added) || 0, MOST_SEEDED)
}

/** A time after the creation of a task, whose own time may be none in data of other origin. */
function timeAfter({ created_at }: AnyTask, milliseconds: number): string {
  const time = new Date(Date.parse(created_at) + milliseconds)
  return Number.isNaN(time.getTime()) ? EPOCH : time.toISOString()
}
