import type { EarlierLists } from '@collab-etl/core'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/** So many runs back: a run log of years is not searched for a number that each run shows again. */
const RUNS = 30

/**
 * The longest lists that the last runs of a service read whole: the lengths that it is known to give. Comments are counted
 * as they are stored, of posts and files that were read whole last.
 */
export async function readEarlierLists(driver: Driver, schema: SchemaNames, baseUrl: string): Promise<EarlierLists> {
  const comments = (table: string, id: string, stream: string) => `
    SELECT '${table}' AS list, max(n) AS length FROM (
      SELECT count(*) AS n FROM ${schema.main}.${table} c
      JOIN last l ON l.pid = c.pid AND l.stream = '${stream}' AND l.status = 'complete'
      WHERE c.deleted_at IS NULL GROUP BY c.pid, c.${id}) AS counts`
  const { rows } = await driver.query(
    `WITH recent AS (
       SELECT run_id FROM ${schema.main}.runs WHERE base_url = $1 ORDER BY run_id DESC LIMIT ${RUNS}
     ), scopes AS (
       SELECT s.run_id, s.pid, s.stream, s.status, s.records_read FROM ${schema.main}.run_scopes s
       JOIN recent ON recent.run_id = s.run_id
     ), last AS (
       SELECT DISTINCT ON (pid, stream) pid, stream, status FROM scopes
       WHERE stream IN ('posts', 'files') AND status NOT IN ('failed', 'skipped') ORDER BY pid, stream, run_id DESC
     )
     SELECT stream AS list, max(records_read) AS length FROM scopes
     WHERE status = 'complete' AND (stream IN ('tasks', 'pages', 'webhooks') OR stream = 'projects' AND pid = '')
     GROUP BY stream
     UNION ALL ${comments('post_comments', 'post_id', 'posts')}
     UNION ALL ${comments('file_comments', 'fid', 'files')}`,
    [baseUrl],
  )
  const lengths = new Map(rows.map(([list, length]) => [String(list), Number(length ?? 0)]))
  const lengthOf = (list: keyof EarlierLists) => lengths.get(list) ?? 0
  return {
    projects: lengthOf('projects'),
    tasks: lengthOf('tasks'),
    pages: lengthOf('pages'),
    webhooks: lengthOf('webhooks'),
    post_comments: lengthOf('post_comments'),
    file_comments: lengthOf('file_comments'),
  }
}
