import type { Received, Task } from '@collab-etl/contract'
import { type Client, isNotFound } from '@collab-etl/core'
import { type CollabError, isApiError, isAuthError, isSignInError, isTransportError } from '@collab-etl/core/errors'
import type { CallKind } from './item.ts'
import type { Sent } from './journal-lines.ts'

/** A page or task in the target. */
export interface TargetRecord {
  readonly id: string
  /** The project of the record. */
  readonly pid: string | null
  readonly name: string | null
  /** The parent page, or the task group. */
  readonly under: string
  readonly text: string | null
  /** Number of comments of a task; `null` for pages. */
  readonly comments: number | null
}

/** Lists the pages or tasks of the target; posts and comments of tasks cannot be listed. `restart`: the list is read again. */
export async function* targetRecords(
  client: Client,
  pid: string,
  kind: 'page' | 'task',
): AsyncGenerator<TargetRecord | 'restart', void, undefined> {
  if (kind === 'page') {
    for await (const { records, restart } of client.pages.list.batches({ pid })) {
      if (restart) yield 'restart'
      for (const { page_id: id, pid: named, name, parent_id, content: text } of records) {
        yield { id, pid: named, name, under: parent_id ?? '', text, comments: null }
      }
    }
    return
  }
  for await (const { records, restart } of client.tasks.list.batches({ pid, type: 'all' })) {
    if (restart) yield 'restart'
    for (const task of records) yield recordOfTask(task)
  }
}

export function recordOfTask({
  tid: id,
  pid,
  name,
  entry_id,
  desc: text,
  badges,
}: Received<typeof Task>): TargetRecord {
  return { id, pid, name, under: entry_id ?? '', text, comments: badges?.comment_count ?? null }
}

/** Collects what `pick` returns for the pages or tasks of the target, without `null`. */
export async function collectTarget<T>(
  client: Client,
  pid: string,
  kind: 'page' | 'task',
  pick: (found: TargetRecord) => T | null,
): Promise<T[]> {
  let picked: T[] = []
  for await (const found of targetRecords(client, pid, kind)) {
    const value = found === 'restart' ? null : pick(found)
    if (found === 'restart') picked = []
    else if (value !== null) picked.push(value)
  }
  return picked
}

/** The answer to a creation. */
export interface Created {
  readonly id: string
  /** The record in the service's answer. */
  readonly answer: object
}

/** Creates one record. */
export async function create(
  client: Client,
  pid: string,
  kind: CallKind,
  { name, under }: Pick<Sent, 'name' | 'under'>,
  text: string,
): Promise<Created> {
  // Empty fields are left out; the service treats them as empty.
  const filled = <N extends string>(field: N, value: string) => (value === '' ? {} : { [field]: value })
  switch (kind) {
    case 'page':
      return created(
        await client.pages.create({ pid, name, ...filled('content', text), ...filled('parent_id', under) }),
        ({ page_id }) => page_id,
      )
    case 'post':
      return created(await client.posts.create({ pid, name, ...filled('content', text) }), ({ post_id }) => post_id)
    case 'task':
      return created(
        await client.tasks.create({ pid, name, entry_id: under, ...filled('desc', text) }),
        ({ tid }) => tid,
      )
    case 'comment':
      return created(await client.tasks.comments.create({ pid, tid: under, message: text }), ({ cid }) => cid)
  }
}

function created<R extends object>(answer: R, idOf: (answer: R) => string): Created {
  return { id: idOf(answer), answer }
}

/** "Creating … failed" (docs/dev/service-api.md#errors) of records that the service lists, so that the answer can be checked. */
const SAID_FAILED: readonly number[] = [120003, 600003, 200006]

/** "Creating post failed": the service lists no posts, so the answer counts, and only a person can check it. */
export const POST_FAILED = 900003

/**
 * What a failed creation means:
 * - `refused`: this one was not created, others may be
 * - `over`: it was not created, and no other will be
 * - `failed`: the service says that it was not created
 * - `unknown`: it may have been created
 */
export function meaningOf(error: unknown): 'refused' | 'over' | 'failed' | 'unknown' {
  if (isAuthError(error) || isSignInError(error)) return 'over'
  if (isApiError(error)) {
    if (error.rateLimited) return 'over'
    if (SAID_FAILED.includes(error.code)) return 'failed'
    if (error.code === POST_FAILED) return 'refused'
    return meaningOfStatus(error.status)
  }
  if (!isTransportError(error)) return 'unknown'
  const { sent, status = 0, rateLimited } = error
  if (!sent || rateLimited || isTransportError(error, 'connect', 'tls', 'redirect')) return 'over'
  return meaningOfStatus(status)
}

/** Whether a request shows that the service does not have its operation: not the record is missing. */
export function isNotThere(error: unknown): error is CollabError {
  if (isNotFound(error) || !(isApiError(error) || isTransportError(error, 'http_status'))) return false
  return error.status === 404 || error.status === 405
}

/** Other statuses do not show whether a record was created, not even an error with status 200. */
function meaningOfStatus(status: number): 'refused' | 'unknown' {
  return status >= 400 && status < 500 ? 'refused' : 'unknown'
}
