import { createClient, parseLinkPatterns, readProjects } from '@collab-etl/core'
import type { PublishResult, Warehouse } from '@collab-etl/warehouse'
import { Client } from 'pg'
import type { Night } from './changing-nights.ts'

/** Runs a statement as another session; the embedded database has none. */
export async function damage(
  { DATABASE_URL: url }: Readonly<Record<string, string>>,
  statement: string,
): Promise<void> {
  if (url === undefined) return
  const other = new Client(url)
  await other.connect()
  await other.query(statement)
  await other.end()
}

const RANGE = { eventsFrom: new Date('2020-01-01T00:00:00.000Z'), eventsTo: new Date('2026-01-01T00:00:00.000Z') }

const LINKS = parseLinkPatterns([{ kind: 'post', pattern: 'wiki:(?<id>\\d+)' }])

/** A night as it was read: what was published, without what differs from run to run, and how many records were not parsed. */
export interface ReadNight {
  readonly published: unknown
  readonly unparsed: number
}

/** Reads a project into a warehouse. */
export async function readNight(
  warehouse: Warehouse,
  service: { baseUrl: string },
  pid: string,
  { isFull, readAs }: Pick<Night, 'isFull' | 'readAs'>,
  { parsesAll = false, toolVersion = '1' } = {},
): Promise<ReadNight> {
  let unparsed = 0
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://service', toolVersion, full: isFull, readAs, parsesAll })
  const client = createClient({ baseUrl: service.baseUrl, token: 't', retries: 1, backoff: { baseMs: 1 } })
  let published: PublishResult | undefined
  const [posts, files] = [await warehouse.log.knownIds('post', pid), await warehouse.log.knownIds('file', pid)]
  try {
    await readProjects(client, [{ pid, listed: null }], {
      read: {
        ...RANGE,
        linkPatterns: LINKS,
        knownPosts: posts.filter(({ isWaiting }) => !isWaiting),
        knownFiles: files.filter(({ isWaiting }) => !isWaiting),
      },
      openSink: async () => {
        const stage = await run.stage(pid)
        return {
          sink: stage,
          onEvent: (event) => {
            if (event.type === 'batch') unparsed += event.batch.unchanged?.length ?? 0
          },
          finish: async () => {
            published ??= await stage.publish({ maxShrink: 1, allowShrink: true })
          },
        }
      },
    })
  } finally {
    await client.close()
  }
  await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
  const scopes = published?.scopes.map(({ startedAt: _, finishedAt: __, ...scope }) => scope)
  const { tables, losses, unread } = published ?? {}
  return { published: { scopes, tables, losses, unread }, unparsed }
}

const ROWS = `SELECT jsonb_agg(r ORDER BY r) FROM (
  ${[
    'projects',
    'users',
    'entries',
    'tasks',
    'task_labels',
    'task_todos',
    'task_members',
    'task_watchers',
    'pages',
    'page_watchers',
    'events',
    'event_attendees',
    'known_posts',
    'known_files',
  ]
    .map(
      (name) =>
        `SELECT jsonb_build_array('${name}', to_jsonb(t) - '{valid_from,deleted_at,first_seen_at,ask_again_at,read_at,source}'::text[], to_jsonb(t) -> 'deleted_at' <> 'null') AS r FROM collab.${name} t WHERE coalesce(to_jsonb(t) ->> 'pid', 'PID') = 'PID'`,
    )
    .join(' UNION ALL ')}
  UNION ALL SELECT jsonb_build_array('history', tid, name, entry_id) FROM collab_history.tasks WHERE pid = 'PID'
  UNION ALL SELECT jsonb_build_array('losses', stream, record_key, field, kind, original) FROM collab.losses WHERE pid = 'PID') s`

export async function rowsOf(warehouse: Warehouse, pid: string): Promise<unknown> {
  const { rows } = await warehouse.rows.query(ROWS.replaceAll("'PID'", `'${pid}'`))
  return rows[0]?.[0]
}
