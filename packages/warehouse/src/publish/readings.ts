import { storedId } from '../records/text.ts'
import type { PublishedScope } from '../runs/types.ts'
import { KNOWN_ID_TABLES } from '../tables/index.ts'
import type { PublishContext } from './context.ts'
import { NOT_TRIED } from './known-ids.ts'

const COMMENTS = '/comments'

/** Notes which lists, posts and files were read completely. In the publishing transaction, so that none counts as read that is not stored. */
export async function noteReadings(context: PublishContext, scopes: readonly PublishedScope[]): Promise<void> {
  const { main } = context.task.schema
  const isItems = ({ scope }: PublishedScope) => KNOWN_ID_TABLES.some(({ table }) => table === scope.stream)
  const lists = scopes.filter((scope) => scope.status === 'complete' && !isItems(scope))
  if (lists.length > 0) {
    await context.run(
      `INSERT INTO ${main}.list_readings (pid, stream, read_at) SELECT @list, unnest(@texts), @at
       ON CONFLICT (pid, stream) DO UPDATE SET read_at = excluded.read_at`,
      { texts: lists.map(({ scope }) => scope.stream) },
    )
  }
  for (const ids of KNOWN_ID_TABLES) {
    const scope = scopes.find((each) => each.scope.stream === ids.table)
    if (scope !== undefined) await noteItems(context, ids, scope)
  }
}

/** Notes which events the service was asked for one by one, unless those that do not exist could not be marked. */
export async function noteEventReadings(context: PublishContext): Promise<void> {
  const byId = context.scope('events')?.result.byId
  if (byId === undefined || !context.mayDelete('events')) return
  await context.run(
    `INSERT INTO ${context.task.schema.main}.event_readings (pid, event_id, read_at) SELECT @pid, unnest(@ids), @at
     ON CONFLICT (pid, event_id) DO UPDATE SET read_at = excluded.read_at`,
    { ids: [...new Set(byId.existing)].map((id) => storedId(id)) },
  )
}

/**
 * Notes of which tasks the comments were read to the end, and forgets that of tasks that were marked deleted: one that comes back is read
 * again. After a refusal of the deletion guard nothing is noted, so that the comments are read again.
 */
export async function noteTaskComments(context: PublishContext): Promise<void> {
  const { schema, slot } = context.task
  const readings = `${schema.main}.task_comment_readings`
  if (context.isStaged('task_comments_read') && !context.refused.has('task_comments')) {
    const children = ['task_comments', 'comment_files'] as const
    const unsure = children.flatMap((name) => context.unreadIds(name))
    await context.run(
      `INSERT INTO ${readings} (pid, tid, comment_count, updated_at, read_at)
       SELECT DISTINCT ON (tid) @pid, tid, comment_count, updated_at, @at FROM ${slot.table('task_comments_read')} s
       WHERE s.pid = @pid AND NOT (tid = ANY (@ids))
         AND NOT EXISTS (SELECT FROM unnest(@ids) AS u (id) WHERE starts_with(u.id, 'task ' || s.tid || ' '))
       ORDER BY tid, _seq DESC
       ON CONFLICT (pid, tid) DO UPDATE SET comment_count = excluded.comment_count, updated_at = excluded.updated_at, read_at = excluded.read_at`,
      { ids: unsure },
    )
  }
  if (!context.shrunk.has('tasks')) return
  await context.run(
    `DELETE FROM ${readings} r USING ${context.sqlOf('tasks').target} t
     WHERE r.pid = @pid AND t.pid = @pid AND t.tid = r.tid AND t.deleted_at = @at`,
  )
}

/**
 * An item counts as read if its comments were read as well, and rows that are missing from it could be marked deleted. One that
 * failed is due in the next run, however recently it was read before.
 */
async function noteItems(
  context: PublishContext,
  { known, id, table }: (typeof KNOWN_ID_TABLES)[number],
  { status, unread = [] }: PublishedScope,
): Promise<void> {
  const { main } = context.task.schema
  const idsOf = (items: typeof unread) =>
    items.flatMap(({ id }) => [id, ...(id.endsWith(COMMENTS) ? [id.slice(0, -COMMENTS.length)] : [])]).map(storedId)
  const failed = idsOf(unread.filter(({ error }) => !NOT_TRIED.has(error.code)))
  if (failed.length > 0) {
    await context.run(
      `UPDATE ${main}.${known} SET read_at = NULL WHERE pid = @pid AND ${id} = ANY (@ids) AND read_at IS NOT NULL`,
      { ids: failed },
    )
  }
  if (!context.isStaged(table)) return
  const isWhole = CHILDREN[table].map((child) => {
    const sql = context.sqlOf(child)
    return `AND ${id} NOT IN (SELECT t.${id} FROM ${sql.target} t WHERE ${sql.isMissing(context.isStaged(child))})`
  })
  await context.run(
    `UPDATE ${main}.${known} k SET read_at = @at WHERE pid = @pid AND NOT (${id} = ANY (@unread))
       AND ${id} IN (SELECT s.${id} FROM ${context.sqlOf(table).stage} s WHERE s.pid = @pid) ${status === 'complete' ? '' : isWhole.join(' ')}`,
    { unread: [...idsOf(unread), ...context.unreadIds(CHILDREN[table][0])] },
  )
}

/** Tables whose rows belong to one item: first its comments. */
const CHILDREN = {
  posts: ['post_comments', 'post_watchers'],
  files: ['file_comments', 'file_watchers'],
} as const
