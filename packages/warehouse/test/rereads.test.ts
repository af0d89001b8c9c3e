import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { TABLES } from '../src/tables/index.ts'
import type { Table } from '../src/tables/table.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsOfSlowTests } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { page, webhook } from './support/records.ts'
import { batch, compared, feed, LIMITS, NO_LIMITS, publishIn, type Streams, snapshot } from './support/snapshot.ts'

/** Compares the warehouse with streams; returns the tables that differ, by kind of difference. */
async function compare(
  warehouse: Warehouse,
  streams: Streams = everything(),
  pid: string | null = 'p1',
): Promise<string[]> {
  const scopes = await compared(warehouse, streams, pid)
  const found = scopes.flatMap(({ differences }) => differences.map(({ kind, table }) => `${kind} ${table}`))
  return [...new Set(found)].sort()
}

async function full(warehouse: Warehouse, streams: Streams = everything()): Promise<void> {
  await using _lock = await warehouse.runs.lock()
  const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3', full: true })
  await publishIn(run, 'p1', streams)
  await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
}

const marks = async (warehouse: Warehouse) =>
  (await warehouse.log.scopesToReread()).map(({ pid, stream }) => `${pid} ${stream}`)

async function expectUnchanged(warehouse: Warehouse): Promise<void> {
  const { tables } = await snapshot(warehouse, everything())
  for (const counts of Object.values(tables)) expect(counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
}

/** A statement that changes a value of every row. */
function edit(schema: string, { name, columns, key }: Table): string {
  const plain = columns.find((column) => column.type === 'text' && !column.collateC && !key.includes(column.name))
  return `UPDATE ${schema}.${name} SET ${plain ? `${plain.name} = 'damaged'` : `extra = '{"damaged": true}'`}`
}

const isChild = ({ parent }: Table) => parent !== undefined

/** What is done to the database by hand, and what a comparison must name of it. */
const DAMAGE: readonly [string, (schema: string) => string[], readonly string[]][] = [
  [
    'tables of records are truncated',
    (schema) => TABLES.filter((table) => !isChild(table)).map(({ name }) => `TRUNCATE ${schema}.${name}`),
    TABLES.filter((table) => !isChild(table)).map(({ name }) => `missing ${name}`),
  ],
  [
    'tables of lists are truncated',
    (schema) => TABLES.filter(isChild).map(({ name }) => `TRUNCATE ${schema}.${name}`),
    TABLES.filter(isChild).map(({ name }) => `missing ${name}`),
  ],
  [
    'every row of every table is edited',
    (schema) => TABLES.map((table) => edit(schema, table)),
    TABLES.filter(({ name }) => name !== 'users').map(({ name }) => `changed ${name}`),
  ],
  [
    'every row of a list is marked deleted',
    (schema) => TABLES.filter(isChild).map(({ name }) => `UPDATE ${schema}.${name} SET deleted_at = valid_from`),
    TABLES.filter(isChild).map(({ name }) => `missing ${name}`),
  ],
  [
    'hashes of records are wrong',
    (schema) =>
      TABLES.filter(({ hashed }) => hashed).map(
        ({ name }) => `UPDATE ${schema}.${name} SET record_hash = md5('${name}')::uuid`,
      ),
    TABLES.filter(({ hashed }) => hashed).map(({ name }) => `changed ${name}`),
  ],
  [
    'rows of lists are added, with and without a parent',
    (schema) => [
      `INSERT INTO ${schema}.task_members (pid, tid, uid, valid_from) VALUES ('p1', 't1', 'u9', now()), ('p1', 'nowhere', 'u1', now())`,
      `INSERT INTO ${schema}.page_watchers (pid, page_id, uid, valid_from) VALUES ('p1', 'nowhere', 'u1', now())`,
      `INSERT INTO ${schema}.post_comments (pid, post_id, cid, valid_from) VALUES ('p1', 'nowhere', 'c9', now())`,
      `INSERT INTO ${schema}.event_attendees (pid, event_id, starts_at, uid, valid_from) VALUES ('p1', 'nowhere', now(), 'u9', now())`,
    ],
    ['event_attendees', 'page_watchers', 'post_comments', 'task_members'].map((name) => `extra ${name}`),
  ],
]

onBackendsOfSlowTests('damage', (backend) => {
  testEveryNth(DAMAGE, 8)('%s: compare names it, the next snapshot repairs it, once', async (_, damage, named) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.script(damage(warehouse.schema).join(';'))
    expect(await compare(warehouse)).toEqual(named.toSorted())
    expect(await marks(warehouse)).not.toEqual([])
    await snapshot(warehouse, everything())
    expect(await compare(warehouse)).toEqual([])
    expect(await marks(warehouse)).toEqual([])
    await expectUnchanged(warehouse)
  })

  testEveryNth(DAMAGE, 8)('%s: a full snapshot repairs it without a comparison', async (_, damage) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.script(damage(warehouse.schema).join(';'))
    await full(warehouse)
    expect(await compare(warehouse)).toEqual([])
    await expectUnchanged(warehouse)
  })

  const truncated = async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.script(`TRUNCATE ${warehouse.schema}.task_labels`)
    expect(await compare(warehouse)).toEqual(['missing task_labels'])
    expect(await marks(warehouse)).toEqual(['p1 archived_tasks', 'p1 tasks'])
    return warehouse
  }

  const changes = [
    ['fails', { tasks: { ...everything().tasks, status: 'failed' as const } }],
    ['is inconsistent', { archived_tasks: { ...everything().archived_tasks, status: 'drifted' as const } }],
    ['is left out', { archived_tasks: undefined }],
  ] as const
  testEveryNth(changes, 8)('the mark stays where one of the two lists of tasks %s', async (_, change) => {
    const warehouse = await truncated()
    const streams = Object.fromEntries(
      Object.entries({ ...everything(), ...change }).filter(([, input]) => input !== undefined),
    )
    await snapshot(warehouse, streams)
    expect(await marks(warehouse)).toEqual(['p1 archived_tasks', 'p1 tasks'])
    await snapshot(warehouse, everything())
    expect(await marks(warehouse)).toEqual([])
    expect(await compare(warehouse)).toEqual([])
  })

  test('the mark stays when the project is not published, another one is, or the run dies', async () => {
    const warehouse = await truncated()
    {
      await using _lock = await warehouse.runs.lock()
      const run = await warehouse.runs.begin({ baseUrl: 'http://127.0.0.1', toolVersion: '1.2.3' })
      const stage = await run.stage('p1')
      await feed(stage, 'p1', everything())
      await stage.discard()
      await publishIn(run, 'p2', { ...everything(), webhooks: {} })
      expect(await marks(warehouse)).toEqual(['p1 archived_tasks', 'p1 tasks'])
    }
    await snapshot(warehouse, everything())
    expect([await marks(warehouse), await compare(warehouse)]).toEqual([[], []])
  })

  testThoroughly('the mark stays when the database rejects the rows', async () => {
    const warehouse = await backend.another()
    await snapshot(warehouse, everything())
    const labels = `${warehouse.schema}.task_labels`
    await backend.driver.script(`TRUNCATE ${labels}; ALTER TABLE ${labels} ADD CONSTRAINT none CHECK (name <> 'red')`)
    await compare(warehouse)
    expect((await snapshot(warehouse, everything())).scopes[0]).toMatchObject({ status: 'failed' })
    expect(await marks(warehouse)).toEqual(['p1 archived_tasks', 'p1 tasks'])
    await backend.driver.script(`ALTER TABLE ${labels} DROP CONSTRAINT none`)
    await snapshot(warehouse, everything())
    expect([await marks(warehouse), await compare(warehouse)]).toEqual([[], []])
  })

  testThoroughly('the mark stays where the deletion guard refuses, until more is allowed', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    await backend.driver.script(
      `INSERT INTO ${warehouse.schema}.pages (pid, page_id, valid_from) SELECT 'p1', 'x' || n, '2020-01-01Z' FROM generate_series(1, 9) n`,
    )
    expect(await compare(warehouse)).toEqual(['extra pages'])
    await snapshot(warehouse, everything(), { limits: LIMITS })
    expect(await marks(warehouse)).toEqual(['p1 pages'])
    await snapshot(warehouse, everything(), { limits: NO_LIMITS })
    expect([await marks(warehouse), await compare(warehouse)]).toEqual([[], []])
  })

  test('an incomplete comparison marks no scope; one of a changed service does no harm', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const changed = { batches: [batch('page', [page('g1', { name: 'New' }), page('g2')])] }
    await compare(warehouse, { pages: { ...changed, status: 'failed' } })
    expect(await marks(warehouse)).toEqual([])
    expect(await compare(warehouse, { pages: changed })).toEqual(['changed pages', 'extra page_watchers'])
    expect(await marks(warehouse)).toEqual(['p1 pages'])
    const { tables } = await snapshot(warehouse, everything())
    expect(tables.pages).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
    expect(await marks(warehouse)).toEqual([])
  })

  test('personal webhooks are marked and repaired as well', async () => {
    const warehouse = await backend.warehouse()
    const personal = { webhooks: { batches: [batch('webhook', [webhook('w9', { pid: '' })])] } }
    await snapshot(warehouse, personal, { pid: null })
    await backend.driver.script(`UPDATE ${warehouse.schema}.webhooks SET name = 'damaged'`)
    expect(await compare(warehouse, personal, null)).toEqual(['changed webhooks'])
    expect(await marks(warehouse)).toEqual(['null webhooks'])
    await snapshot(warehouse, personal, { pid: null })
    expect(await marks(warehouse)).toEqual([])
  })
})
