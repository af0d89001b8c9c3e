import type { CommentedTask } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'
import { shownCount, shownTime } from '../records/shown-values.ts'
import { storedId } from '../records/text.ts'

/** Each task is looked up by its key: without statistics the planner would read whole tables. */
const BY_KEY = 'SET LOCAL enable_seqscan = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off'

/** A task that has or may have comments, or has stored ones. */
export interface TaskCommentReading {
  readonly tid: string
  /** When they were last read; `null`: never, or the task has changed since, or a comparison found differences among them. */
  readonly readAt: Date | null
}

/** Of these tasks, in their order, those that have or may have comments or have stored ones, with the times of the last readings that still count. */
export async function readTaskCommentReadings(
  driver: Driver,
  { main }: SchemaNames,
  pid: string,
  tasks: readonly CommentedTask[],
): Promise<TaskCommentReading[]> {
  if (tasks.length === 0) return []
  return await driver.transaction(
    async (connection) => {
      await connection.script(BY_KEY)
      const { rows } = await connection.query(
        `SELECT a.place, CASE WHEN r.comment_count IS NOT DISTINCT FROM a.count AND r.updated_at IS NOT DISTINCT FROM a.updated_at
           AND NOT EXISTS (SELECT FROM ${main}.scopes_to_reread WHERE pid = $1::text AND stream = 'task_comments') THEN r.read_at END
         FROM unnest($2::text[], $3::integer[], $4::timestamptz[]) WITH ORDINALITY AS a (tid, count, updated_at, place)
         LEFT JOIN LATERAL (SELECT * FROM ${main}.task_comment_readings WHERE pid = $1::text AND tid = a.tid) AS r ON true
         LEFT JOIN LATERAL (
           SELECT true AS is_stored FROM ${main}.task_comments c WHERE c.pid = $1::text AND c.tid = a.tid AND c.deleted_at IS NULL LIMIT 1) AS c ON true
         WHERE a.count IS NULL OR a.count > 0 OR c.is_stored
         ORDER BY a.place`,
        [
          storedId(pid),
          tasks.map(({ tid }) => storedId(tid)),
          tasks.map((task) => shownCount(task.comment_count)),
          tasks.map((task) => shownTime(task.updated_at)),
        ],
      )
      return rows.flatMap(([place, readAt]) => {
        const task = tasks[Number(place) - 1]
        return task === undefined ? [] : [{ tid: task.tid, readAt: readAt === null ? null : new Date(String(readAt)) }]
      })
    },
    { readOnly: true },
  )
}
