import { createClient, parseLinkPatterns, readProjects } from '@collab-etl/core'
import { backendsOfSlowTests, times } from '@collab-etl/harness/thorough'
import { openWarehouse, type PublishResult, type Warehouse } from '@collab-etl/warehouse'
import fc from 'fast-check'
import { Client } from 'pg'
import { describe, expect, test } from 'vitest'

import { type Night, nights, scriptOf, startService } from './changing-nights.ts'

/** Records that were not parsed, in all nights. */
let skipped = 0

/** Runs a statement as another session; the embedded database has none. */
async function damage({ DATABASE_URL: url }: Readonly<Record<string, string>>, statement: string): Promise<void> {
  if (url === undefined) return
  const other = new Client(url)
  await other.connect()
  await other.query(statement)
  await other.end()
}

const RANGE = { eventsFrom: new Date('2020-01-01T00:00:00.000Z'), eventsTo: new Date('2026-01-01T00:00:00.000Z') }

const LINKS = parseLinkPatterns([{ kind: 'post', pattern: 'wiki:(?<id>\\d+)' }])

/** Reads a project into a warehouse. Returns what was published, without what differs from run to run. */
async function readNight(
  warehouse: Warehouse,
  service: { baseUrl: string },
  pid: string,
  { isFull, readAs }: Night,
  parsesAll: boolean,
): Promise<unknown> {
  await using _lock = await warehouse.lock()
  const run = await warehouse.beginRun({ baseUrl: 'http://service', toolVersion: '1', full: isFull, readAs, parsesAll })
  const client = createClient({ baseUrl: service.baseUrl, token: 't', retries: 0 })
  let published: PublishResult | undefined
  const [posts, files] = [await warehouse.knownIds('post', pid), await warehouse.knownIds('file', pid)]
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
          storedBytes: async (scope) => (await stage.storedBytes?.(scope)) ?? null,
          write: async (scope, batch) => {
            skipped += batch.unchanged?.length ?? 0
            await stage.write(scope, batch)
          },
          restart: (scope) => stage.restart(scope),
          end: (result) => stage.end(result),
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
  return { scopes, tables: published?.tables, losses: published?.losses, unread: published?.unread }
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

async function rowsOf(warehouse: Warehouse, pid: string): Promise<unknown> {
  const { rows } = await warehouse.query(ROWS.replaceAll("'PID'", `'${pid}'`))
  return rows[0]?.[0]
}

describe.each(backendsOfSlowTests())('records that come in the same bytes ($name)', (backend) => {
  test('any nights: results and rows equal those of a reading that parses everything', async () => {
    const service = await startService()
    const opened = [await backend.open(), await backend.open()]
    const warehouses = await Promise.all(
      opened.map(({ env }) =>
        openWarehouse({
          ...(env['DATABASE_URL'] && { databaseUrl: env['DATABASE_URL'] }),
          dataDir: env['COLLAB_DATA_DIR'] ?? '',
          schema: 'collab',
        }),
      ),
    )
    let number = 0
    try {
      for (const warehouse of warehouses) await warehouse.migrate()
      const [skipping, parsing] = warehouses as [Warehouse, Warehouse]
      await fc.assert(
        fc.asyncProperty(nights, async (spec) => {
          const pid = `p${++number}`
          for (const night of scriptOf(spec, pid)) {
            service.worlds.set(pid, night.world)
            const results: unknown[] = []
            for (const warehouse of [skipping, parsing]) {
              if (night.damage !== null) await damage(opened[warehouses.indexOf(warehouse)]?.env ?? {}, night.damage)
              results.push(await readNight(warehouse, service, pid, night, warehouse === parsing))
            }
            expect(results[0]).toEqual(results[1])
            expect(await rowsOf(skipping, pid)).toEqual(await rowsOf(parsing, pid))
          }
        }),
        { numRuns: times(5, 300), endOnFailure: true },
      )
      expect(skipped).toBeGreaterThan(number)
    } finally {
      service.close()
      for (const warehouse of warehouses) await warehouse.close()
      for (const each of opened) await each[Symbol.asyncDispose]()
    }
  })
})
