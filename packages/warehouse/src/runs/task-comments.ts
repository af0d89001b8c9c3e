import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { shownCount, shownTime } from '../records/shown-values.ts'
import { storedId } from '../records/text.ts'

/** A task as its list shows it. */
export interface CommentedTask {
  readonly tid: string
  /** `null` if the service does not say. */
  readonly commentCount: number | null
  readonly updatedAt: string | null
}

/** Each task is looked up by its key: without statistics the planner would read whole tables. */
const BY_KEY = 'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

/**
 * Of these tasks, in their order, the ids of those whose comments are to be read: they have or had comments, and these were never read, or
 * before `readSince`, or when the task showed another number of comments or another time. All that have comments, if a comparison found
 * differences among them.
 */
export async function readDueTaskComments(
  driver: Driver,
  { main }: SchemaNames,
  pid: string,
  tasks: readonly CommentedTask[],
  readSince: Date | null,
): Promise<string[]> {
  if (tasks.length === 0) return []
  return await driver.transaction(
    async (connection) => {
      await connection.script(BY_KEY)
      const { rows } = await connection.query(
        `SELECT a.place FROM unnest($2::text[], $3::integer[], $4::timestamptz[]) WITH ORDINALITY AS a (tid, count, updated_at, place)
         LEFT JOIN LATERAL (SELECT * FROM ${main}.task_comment_readings WHERE pid = $1::text AND tid = a.tid) AS r ON true
         LEFT JOIN LATERAL (
           SELECT true AS is_stored FROM ${main}.task_comments c WHERE c.pid = $1::text AND c.tid = a.tid AND c.deleted_at IS NULL LIMIT 1) AS c ON true
         WHERE (a.count > 0 OR c.is_stored) AND (
           r.tid IS NULL OR r.comment_count IS DISTINCT FROM a.count OR r.updated_at IS DISTINCT FROM a.updated_at OR r.read_at < $5::timestamptz
           OR EXISTS (SELECT FROM ${main}.scopes_to_reread WHERE pid = $1::text AND stream = 'task_comments'))
         ORDER BY a.place`,
        [
          storedId(pid),
          tasks.map(({ tid }) => storedId(tid)),
          tasks.map(({ commentCount }) => shownCount(commentCount)),
          tasks.map(({ updatedAt }) => shownTime(updatedAt)),
          readSince?.toISOString() ?? null,
        ],
      )
      return rows.flatMap(([place]) => tasks[Number(place) - 1]?.tid ?? [])
    },
    { readOnly: true },
  )
}
