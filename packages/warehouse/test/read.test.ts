import { expect, test } from 'vitest'
import { onBothBackends } from './support/backends.ts'
import { event, page, user } from './support/records.ts'
import { batch, inRun, live, publishIn, snapshot, streamOf } from './support/snapshot.ts'

onBothBackends('reading', (backend) => {
  test('rows come in the order of their key, more of them than are fetched at once', async () => {
    const warehouse = await backend.warehouse()
    const ids = Array.from({ length: 1203 }, (_, index) => `t${(index * 7919) % 1203}`)
    await snapshot(warehouse, {
      tasks: streamOf('task', ids),
    })
    const rows = await live(warehouse, 'tasks', ['tid'])
    // byte by byte, on every server
    expect(rows.map(({ tid }) => tid)).toEqual(ids.toSorted())
  })

  test('documents of any length: each page once, in the order of the keys', async () => {
    const warehouse = await backend.warehouse()
    // Batches of 50, then of a few, then of more again.
    const lengthOf = (index: number) => (index < 50 ? 10 : index < 70 ? 200_000 : 1000)
    const pages = Array.from({ length: 300 }, (_, index) => {
      return page(`g${String(index).padStart(3, '0')}`, { content: 'x'.repeat(lengthOf(index)) })
    })
    await snapshot(warehouse, { pages: { batches: [batch('page', pages)] } })
    const rows = []
    for await (const { page_id, content } of warehouse.rows.of('pages', { columns: ['page_id', 'content'] })) {
      rows.push([page_id, String(content).length])
    }
    expect(rows).toEqual(pages.map(({ page_id }, index) => [page_id, lengthOf(index)]))
  })

  test('keys that are times with microseconds', async () => {
    const warehouse = await backend.warehouse()
    const events = Array.from({ length: 700 }, (_, index) =>
      event('v1', `2024-01-01T00:00:00.123${String(index).padStart(3, '0')}Z`),
    )
    await snapshot(warehouse, { events: { batches: [batch('event', events)] } })
    const rows = await live(warehouse, 'events', ['event_id', 'starts_at'])
    expect(rows).toHaveLength(700)
    expect(rows[500]).toEqual({ event_id: 'v1', starts_at: '2024-01-01T00:00:00.123500Z' })
  })

  test('rows of one project, some columns; not those that are gone', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, async (run) => {
      await publishIn(run, 'p1', { pages: { batches: [batch('page', [page('g1'), page('g2'), page('g3')])] } })
      await publishIn(run, 'p2', { pages: { batches: [batch('page', [page('g1')])] } })
    })
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1'), page('g2')])] } })
    const rows = []
    for await (const row of warehouse.rows.of('pages', { pid: 'p1', columns: ['name', 'page_id'] })) rows.push(row)
    expect(rows).toEqual([
      { name: 'Page g1', page_id: 'g1' },
      { name: 'Page g2', page_id: 'g2' },
    ])
    expect(await live(warehouse, 'pages')).toHaveLength(3)
  })

  test('all own columns and extra, with values as the service has them', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, {
      pages: { batches: [batch('page', [page('g1', { extra: { a: [1] }, owner: user('u1') })])] },
    })
    expect(await live(warehouse, 'pages')).toEqual([
      {
        pid: 'p1',
        page_id: 'g1',
        parent_id: null,
        name: 'Page g1',
        summary: 'text',
        content: '# Text',
        created_at: '2024-05-06T07:08:09.010Z',
        updated_at: '2024-05-06T07:08:09.010Z',
        owner_uid: 'u1',
        extra: { a: [1] },
      },
    ])
  })

  test('a query keeps columns of the same name, times as texts and large numbers exact', async () => {
    const warehouse = await backend.warehouse()
    const { columns, rows } = await warehouse.rows.query(
      `SELECT 1 AS a, 2 AS a, timestamptz '2024-01-02 03:04:05+01' AS t, 9007199254740993 AS big, 12::bigint AS small,
         1.10 AS n, date '2024-01-02' AS d, ARRAY['x', 'y'] AS l, '{"a": 1}'::jsonb AS j, true AS b, NULL AS nothing`,
    )
    expect(columns).toEqual(['a', 'a', 't', 'big', 'small', 'n', 'd', 'l', 'j', 'b', 'nothing'])
    expect(rows).toEqual([
      [
        1,
        2,
        '2024-01-02T02:04:05.000Z',
        '9007199254740993',
        12,
        '1.10',
        '2024-01-02',
        ['x', 'y'],
        { a: 1 },
        true,
        null,
      ],
    ])
  })

  test.each([
    ['DELETE FROM users', /read-only/],
    ['CREATE TABLE x (a int)', /read-only/],
    ["SELECT set_config('transaction_read_only', 'off', true)", /read-write/],
    ['SELECT 1; DELETE FROM users', /^the text holds several statements: run one at a time$/],
    ['/* /* SELECT */ */ -- SELECT\n(COMMIT; DELETE FROM users)', /read-only.*not with COMMIT/],
    ['WITH gone AS (DELETE FROM users RETURNING 1) SELECT * FROM gone', /read-only/],
    ['EXPLAIN ANALYZE DELETE FROM users', /read-only/],
    ["DO 'BEGIN COMMIT; DELETE FROM users; END'", /read-only.*not with DO/],
    ["COPY (SELECT 1) TO PROGRAM 'touch /tmp/collab'", /read-only.*not with COPY/],
    ['SET statement_timeout = 0', /read-only.*not with SET/],
    ['; SELECT 1', /read-only.*begins with none of them/],
    ['/* SELECT 1', /read-only.*begins with none of them/],
    ['SELECT nothing', /column "nothing" does not exist/],
    ['SELECT * FROM nowhere', /relation "nowhere" does not exist/],
    ['SELEC 1', /not with SELEC/],
    ['SELECT FROM FROM', /syntax error/],
  ])('%s is refused', async (sql, message) => {
    const warehouse = await backend.warehouse()
    const failed = warehouse.rows.query(sql)
    await expect(failed).rejects.toMatchObject({ code: 'QUERY', message: expect.stringMatching(message) })
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('\n') })
    expect((await warehouse.rows.query('SELECT 1')).rows).toEqual([[1]])
  })

  test('changes that a read-only transaction allows are rolled back', async () => {
    const warehouse = await backend.warehouse()
    await warehouse.rows.query('EXPLAIN ANALYZE CREATE TABLE public.mine AS SELECT 1')
    await warehouse.rows.query("SELECT set_config('work_mem', '77MB', false)")
    const left = await warehouse.rows.query("SELECT to_regclass('public.mine'), current_setting('work_mem') = '77MB'")
    expect(left.rows).toEqual([[null, false]])
  })

  test.each([
    ['  (((SELECT 1)))', 1],
    ['-- what\n/* /* ever */ */ select 1', 1],
    ['WITH x AS (SELECT 1) SELECT * FROM x;', 1],
    ['VALUES (1)', 1],
    ['TABLE runs', 0],
    ['SHOW search_path', 1],
    ['EXPLAIN (COSTS OFF) SELECT 1', 1],
  ])('%s is run', async (sql, rows) => {
    const warehouse = await backend.warehouse()
    expect((await warehouse.rows.query(sql)).rows).toHaveLength(rows)
  })

  // the embedded database cannot be interrupted
  if (backend.kind === 'embedded') return
  test('a query that takes too long is ended', async () => {
    const warehouse = await backend.warehouse()
    await expect(warehouse.rows.query('SELECT pg_sleep(30)', { timeoutSeconds: 0.05 })).rejects.toMatchObject({
      code: 'QUERY',
      message: expect.stringMatching(/timeout/),
    })
  })
})
