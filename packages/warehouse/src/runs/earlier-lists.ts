import type { EarlierLists, StoredList } from '@collab-etl/contract/streams'
import type { Driver } from '../driver/driver.ts'
import type { SchemaNames } from '../names.ts'

/** The shortest list of a length at which services cut lists. Shorter stored lists cannot have been cut to it. */
const SHORTEST_CAP = 20

/** How many runs are searched: each run has the number again, and a run log may have years of them. */
const RUNS = 30

/**
 * The longest lists that the last runs read from a service: the lengths that it can return. Comments are counted as they are
 * stored, of posts and files whose last reading was complete.
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
       WHERE stream IN ('posts', 'files') AND status NOT IN ('carried', 'failed', 'skipped') ORDER BY pid, stream, run_id DESC
     )
     SELECT stream AS list, max(records_read) AS length FROM scopes
     WHERE status IN ('complete', 'drifted') AND (stream IN ('tasks', 'pages', 'webhooks') OR stream = 'projects' AND pid = '')
     GROUP BY stream
     UNION ALL ${comments('post_comments', 'post_id', 'posts')}
     UNION ALL ${comments('file_comments', 'fid', 'files')}`,
    [baseUrl],
  )
  const stored = await readStoredLists(driver, schema)
  const lengths = new Map(rows.map(([list, length]) => [String(list), Number(length ?? 0)]))
  const lengthOf = (list: StoredList['list']) => lengths.get(list) ?? 0
  return {
    projects: lengthOf('projects'),
    tasks: lengthOf('tasks'),
    pages: lengthOf('pages'),
    webhooks: lengthOf('webhooks'),
    post_comments: lengthOf('post_comments'),
    file_comments: lengthOf('file_comments'),
    stored,
  }
}

/** Live rows of each list, of lists that are longer than the shortest cap. */
async function readStoredLists(driver: Driver, { main }: SchemaNames): Promise<StoredList[]> {
  const lists = (list: StoredList['list'], id: string, where = 'true') => `
    SELECT '${list}' AS list, pid, ${id} AS id, count(*) AS length FROM ${main}.${list}
    WHERE deleted_at IS NULL AND ${where} GROUP BY 2, 3 HAVING count(*) > ${SHORTEST_CAP}`
  const { rows } = await driver.query(
    [
      `SELECT 'projects' AS list, NULL AS pid, NULL AS id, count(*) AS length FROM ${main}.projects
       WHERE deleted_at IS NULL AND unlisted_since IS NULL HAVING count(*) > ${SHORTEST_CAP}`,
      lists('pages', 'NULL::text'),
      lists('webhooks', 'NULL::text'),
      lists('post_comments', 'post_id'),
      lists('file_comments', 'fid'),
    ].join(' UNION ALL '),
  )
  const textOrNull = (value: unknown) => (value === null ? null : String(value))
  return rows.map(([list, pid, id, length]) => ({
    list: String(list) as StoredList['list'], // as selected above
    pid: textOrNull(pid),
    id: textOrNull(id),
    length: Number(length),
  }))
}
