import {
  type CommentedTask,
  isOfList,
  POSSIBLY_CAPPED,
  type RecordKinds,
  type Suspicion,
  type UnreadItem,
} from '@collab-etl/contract/streams'
import type { Client } from '../client.ts'
import { isBudgetError } from '../errors/collab-error.ts'
import { isNotFound } from '../errors/not-found.ts'
import { type Answer, collect, elementCount } from '../walk/collect.ts'
import { cutAt, judgeLength } from '../walk/cut.ts'
import { askedTwice } from './asked-twice.ts'
import { atOnce } from './at-once.ts'
import type { IdQueues } from './id-queues.ts'
import { addAttachments, lossesOfComments } from './item-sources.ts'
import { describe, type ScopeRun } from './run-scopes.ts'
import type { Ending, ScopeReading } from './scope-reading.ts'
import { Breaker, budgetUsedUp, endingOf, notRequested } from './unread-items.ts'

type TaskComment = RecordKinds['task_comment']

/** Tasks whose comments are emitted together. */
const BATCH = 50

const COMMENTS_MISSING = {
  code: 'COMMENTS_MISSING',
  message: 'the service answered twice that the comments do not exist, though it lists the task',
}

interface ReadTask {
  readonly task: CommentedTask
  readonly comments: readonly TaskComment[]
  readonly losses: ReturnType<typeof lossesOfComments>
  /** Whether these are all of its comments: stored ones that are not among them are gone. */
  readonly isWhole: boolean
}

/**
 * The length of a list of comments. Unless the service states it, the task's own count does where it is larger: a list that is longer than
 * that may hold notes of the service, which the task does not count.
 */
function lengthOf(answer: Answer<unknown>, { comment_count: counted }: CommentedTask) {
  const count = elementCount(answer)
  const total = answer.total ?? ((counted ?? 0) > count ? counted : null)
  return { count, total, verdict: judgeLength({ count, total }) }
}

/**
 * Reads the comments of tasks, one list each (docs/dev/service-api.md#observed-operations). A task whose list cannot be read does not affect
 * the others; it is due again in the next run.
 */
export async function readTaskComments(
  tasks: readonly CommentedTask[],
  { client, pid, run, found }: { client: Client; pid: string; run: ScopeRun; found: IdQueues },
  reading: ScopeReading,
): Promise<Ending> {
  const breaker = new Breaker()
  const unread: UnreadItem[] = []
  const suspicious: NonNullable<Suspicion['parents']>[number][] = []
  let isOverBudget = false
  let read: ReadTask[] = []
  const miss = (tid: string, error: UnreadItem['error']) =>
    unread.push({ id: tid, source: 'list', error, isFromText: false })
  const flush = async () => {
    const done = read
    read = []
    const records = done.flatMap(({ comments }) => comments)
    const losses = done.flatMap((each) => each.losses)
    found.addLinks({ kind: 'task_comment', records, losses: [] }, 'comment')
    await reading.write({ kind: 'task_comment', records, losses })
    const whole = done.filter(({ isWhole }) => isWhole).map(({ task }) => task)
    await reading.write({ kind: 'task_comments_read', records: whole, losses: [] })
  }
  const readOne = async (task: CommentedTask): Promise<void> => {
    const { tid } = task
    if (breaker.isOpen) return void miss(tid, notRequested('lists of comments'))
    if (isOverBudget) return void miss(tid, budgetUsedUp(undefined))
    try {
      const how = { signal: run.signal, stats: reading.stats }
      const ask = () => askedTwice(() => collect(client.tasks.comments.list.batches({ pid, tid }, how)))
      const first = await ask()
      breaker.answered()
      const answer = lengthOf(first, task).verdict === 'cut' ? await ask() : first
      reading.pages += 1
      const { records, losses } = answer
      const { count, total, verdict } = lengthOf(answer, task)
      if (verdict === 'cut') miss(tid, { code: POSSIBLY_CAPPED, message: `comments ${cutAt(count, total ?? count)}` })
      else if (verdict === 'suspicious') suspicious.push({ id: tid, source: 'list', length: count })
      addAttachments(records, found)
      const comments = records.map((comment) => ({ tid, comment }))
      const isWhole = verdict !== 'cut' && !losses.some(isOfList)
      read.push({ task, comments, losses: lossesOfComments(tid, losses), isWhole })
    } catch (error) {
      if (isBudgetError(error)) {
        isOverBudget = true
        return void miss(tid, budgetUsedUp(undefined))
      }
      if (run.isBeyondItem(error)) throw error
      breaker.failed(error)
      // if the task was deleted meanwhile, the next list of tasks lacks it
      miss(tid, isNotFound(error) ? COMMENTS_MISSING : describe(error))
    }
    if (read.length >= BATCH) await flush()
  }
  await atOnce(tasks, readOne)
  await flush()
  const [first] = suspicious
  return { ...endingOf('task', unread), ...(first && { suspicious: { length: first.length, parents: suspicious } }) }
}
