import type { Client } from '@collab-etl/core'
import { isApiError, isAuthError, isTransportError } from '@collab-etl/core/errors'
import type { CallKind } from './item.ts'
import type { Sent } from './journal-lines.ts'

/** A page or task as it stands in the target. */
export interface Standing {
  readonly id: string
  readonly name: string | null
  /** The page above, or the task group. */
  readonly under: string
  readonly text: string | null
  /** Of tasks. */
  readonly comments: number | null
}

/** What the target holds of records that it lists; it lists no posts, and no comments of tasks. */
export async function* standing(
  client: Client,
  pid: string,
  kind: 'page' | 'task',
): AsyncGenerator<Standing | 'restart', void, undefined> {
  if (kind === 'page') {
    for await (const { records, restart } of client.pages.list.batches({ pid })) {
      if (restart) yield 'restart'
      for (const { page_id: id, name, parent_id, content: text } of records) {
        yield { id, name, under: parent_id ?? '', text, comments: null }
      }
    }
    return
  }
  for await (const { records, restart } of client.tasks.list.batches({ pid, type: 'all' })) {
    if (restart) yield 'restart'
    for (const { tid: id, name, entry_id, desc: text, badges } of records) {
      yield { id, name, under: entry_id ?? '', text, comments: badges?.comment_count ?? null }
    }
  }
}

/** Creates one record and gives its id. */
export async function create(
  client: Client,
  pid: string,
  kind: CallKind,
  { name, under }: Sent,
  text: string,
): Promise<string> {
  // What is empty is left out: the service has it as empty then.
  const filled = <N extends string>(field: N, value: string) => (value === '' ? {} : { [field]: value })
  switch (kind) {
    case 'page':
      return (await client.pages.create({ pid, name, ...filled('content', text), ...filled('parent_id', under) }))
        .page_id
    case 'post':
      return (await client.posts.create({ pid, name, ...filled('content', text) })).post_id
    case 'task':
      return (await client.tasks.create({ pid, name, entry_id: under, ...filled('desc', text) })).tid
    case 'comment':
      return (await client.tasks.comments.create({ pid, tid: under, message: text })).cid
  }
}

/** "Creating … failed" (API page, part 7): the service says itself that there is nothing. */
const SAID_FAILED: readonly number[] = [120003, 900003, 600003, 200006]

/**
 * What a failed creation means:
 * - `refused`: this one was not created, others may be
 * - `over`: it was not created, and no other will be
 * - `unknown`: it may have been created
 */
export function meaningOf(error: unknown): 'refused' | 'over' | 'unknown' {
  if (isAuthError(error)) return 'over'
  if (isApiError(error)) return error.status < 500 || SAID_FAILED.includes(error.code) ? 'refused' : 'unknown'
  if (!isTransportError(error)) return 'unknown'
  if (!error.sent || isTransportError(error, 'connect', 'tls', 'redirect')) return 'over'
  const { status } = error
  if (status === undefined || status >= 500) return 'unknown'
  return status === 429 ? 'over' : 'refused'
}
