import { expect, test } from 'vitest'
import type { ComparedScope } from '../src/compare/types.ts'
import { TABLES } from '../src/tables/index.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'
import { everything, RANGE, START } from './support/everything.ts'
import { archivedTask, comment, event, page, post, project, task, user, webhook } from './support/records.ts'
import { batch, compared, feed, inRun, NO_LIMITS, publishIn, snapshot } from './support/snapshot.ts'

/** Every difference in one line: `kind table key columns`. */
const lines = (scopes: readonly ComparedScope[]) =>
  scopes.flatMap(({ scope, differences }) =>
    differences.map(({ table, kind, key, columns }) =>
      [`${scope.stream}: ${kind} ${table}`, ...Object.values(key), ...columns].join(' '),
    ),
  )

async function contents({ driver }: Backend, { schema }: Warehouse): Promise<unknown[]> {
  const found: unknown[] = []
  const runLog = ['known_posts', 'known_files', 'runs', 'run_scopes', 'losses'].map((name) => `${schema}.${name}`)
  const resources = TABLES.flatMap(({ name }) => [`${schema}.${name}`, `${schema}_history.${name}`])
  for (const table of [...runLog, ...resources]) {
    const { rows } = await driver.query(`SELECT t.xmin::text, t::text FROM ${table} t ORDER BY 2`)
    found.push([table, rows])
  }
  return found
}

async function stagedRows({ driver }: Backend, { schema }: Warehouse): Promise<number> {
  const { rows } = await driver.query('SELECT tablename FROM pg_tables WHERE schemaname = $1', [`${schema}_stage`])
  let sum = 0
  for (const [name] of rows) {
    const counted = await driver.query(`SELECT count(*) FROM ${schema}_stage."${name}"`)
    sum += Number(counted.rows[0]?.[0])
  }
  return sum
}

onBackendsInTurn('compare', (backend) => {
  test('unchanged records are equal by hash and row by row, and no table is written', async () => {
    const warehouse = await backend.warehouse()
    const { run } = await snapshot(warehouse, everything())
    await snapshot(
      warehouse,
      { webhooks: { batches: [batch('webhook', [webhook('w9', { pid: '' })])] } },
      { pid: null },
    )
    const before = await contents(backend, warehouse)
    const scopes = await compared(warehouse, everything())
    expect(lines(scopes)).toEqual([])
    expect(scopes).toHaveLength(12)
    for (const { scope, stored, contentHash } of scopes) {
      expect(stored).toMatchObject({ runId: run.id, contentHash })
      if (scope.stream === 'task_comments') continue // read in parts
      expect(contentHash).toMatch(/^[0-9a-f]{64}$/)
    }
    expect(await contents(backend, warehouse)).toEqual(before)
    expect(await stagedRows(backend, warehouse)).toBe(0)
  })

  test('changes in the service are found by hash and by key', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const scopes = await compared(warehouse, {
      ...everything(),
      tasks: { batches: [batch('task', [task('t1', { name: 'New', watchers: [user('u2')] }), task('t4')])] },
      archived_tasks: {},
      posts: {
        batches: [batch('post', [post('s1')]), batch('not_found_post', [{ post_id: 's2' }])],
      },
    })
    const changed = scopes.filter(({ stored, contentHash }) => stored?.contentHash !== contentHash)
    expect(changed.map(({ scope }) => scope.stream)).toEqual(['tasks', 'archived_tasks', 'posts'])
    expect(lines(scopes)).toEqual([
      'tasks: changed tasks t1 name',
      'tasks: extra tasks t2',
      'tasks: missing tasks t4',
      'tasks: extra task_labels t1 red',
      'tasks: extra task_todos t1 d1',
      'tasks: extra task_members t1 u1',
      'tasks: extra task_members t1 u2',
      'archived_tasks: extra tasks t3',
      'archived_tasks: extra task_labels t3 red',
      'posts: extra posts s2',
      'posts: extra post_watchers s1 u1',
      'posts: extra post_comments s1 c1',
      'posts: extra comment_files post s1 c1 f1',
    ])
  })

  test('a comment of a task that changed, one that is new, and one that is gone', async () => {
    const warehouse = await backend.warehouse()
    const read = { tid: 't1', comment_count: 2, updated_at: null }
    const of = (...comments: ReturnType<typeof comment>[]) => ({
      ...everything(),
      task_comments: {
        batches: [
          batch(
            'task_comment',
            comments.map((each) => ({ tid: 't1', comment: each })),
          ),
          batch('task_comments_read', [read]),
        ],
      },
    })
    await snapshot(warehouse, of(comment('c1'), comment('c2')))
    expect(lines(await compared(warehouse, of(comment('c2', { raw_message: 'edited' }), comment('c3'))))).toEqual([
      'task_comments: changed task_comments t1 c2 raw_message',
      'task_comments: extra task_comments t1 c1',
      'task_comments: missing task_comments t1 c3',
    ])
  })

  test('presence and versions of users do not count', async () => {
    const warehouse = await backend.warehouse()
    const seen = (fields: Parameters<typeof user>[1]) => ({
      pages: { batches: [batch('page', [page('g1', { owner: user('u1', fields) })])] },
    })
    await snapshot(warehouse, seen({}))
    const scopes = await compared(warehouse, seen({ online: 3, name: 'New' }))
    expect(lines(scopes)).toEqual([])
    expect(scopes[0]?.stored?.contentHash).toBe(scopes[0]?.contentHash)
  })

  test.each(['failed', 'drifted', 'skipped'] as const)('a scope that is %s proves nothing', async (status) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const broken = { batches: [batch('archived_task', [archivedTask('t3', { name: 'New' })])], status }
    const scopes = await compared(warehouse, {
      ...everything(),
      archived_tasks: broken,
      tasks: { batches: [batch('task', [task('t1')])] },
    })
    expect(scopes.find(({ scope }) => scope.stream === 'archived_tasks')).toMatchObject({
      status,
      contentHash: null,
      counts: { missing: 0, extra: 0, changed: 0 },
    })
    // a task that is in neither list may be in the one that was not read
    expect(lines(scopes).filter((line) => line.includes('t2') || line.includes('t3'))).toEqual([])
    expect(lines(scopes)).toContain('tasks: extra task_members t1 u1')
  })

  test('events outside of the range and their attendees are not counted as gone', async () => {
    const warehouse = await backend.warehouse()
    const late = event('v2', '2028-05-05T00:00:00.000Z', { attendees: [user('u1')] })
    const early = event('v1', START, { attendees: [user('u1')] })
    await snapshot(warehouse, { events: { batches: [batch('event', [early, late])], range: RANGE } })
    const range = { from: RANGE.from, to: new Date('2025-01-01') }
    expect(lines(await compared(warehouse, { events: { batches: [batch('event', [early])], range } }))).toEqual([])
    expect(lines(await compared(warehouse, { events: { range } }))).toEqual([
      `events: extra events v1 ${START}`,
      `events: extra event_attendees v1 ${START} u1`,
    ])
  })

  test('posts that were not read are not compared, nor are their comments', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    expect(lines(await compared(warehouse, { posts: {}, files: {} }))).toEqual([])
  })

  test('a missing list makes no stored row extra', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const loss = { recordKey: 't1', field: 'members', kind: 'missing', original: null } as const
    const { tasks: _, ...others } = everything()
    const input = batch('task', [task('t1'), task('t2', { entry_id: 'e2', entry_name: 'Entry 2' })], [loss])
    const found = lines(await compared(warehouse, { ...others, tasks: { batches: [input] } }))
    expect(found).toEqual([
      'tasks: extra task_labels t1 red',
      'tasks: extra task_todos t1 d1',
      'tasks: extra task_watchers t1 u2',
    ])
  })

  test('thousands of differences are counted, and the first thousand of each kind named', async () => {
    const warehouse = await backend.warehouse()
    const pages = (count: number) => ({
      pages: {
        batches: [
          batch(
            'page',
            Array.from({ length: count }, (_, index) => page(`g${String(index).padStart(4, '0')}`)),
          ),
        ],
      },
    })
    await snapshot(warehouse, pages(2500))
    const [scope] = await compared(warehouse, pages(0))
    expect(scope?.counts).toEqual({ missing: 0, extra: 2500, changed: 0 })
    expect(scope?.differences).toHaveLength(1000)
    expect(scope?.differences.at(-1)?.key).toEqual({ page_id: 'g0999' })
  })

  test('the stored hash is that of the last complete reading', async () => {
    const warehouse = await backend.warehouse()
    const { run } = await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1')])] } })
    await snapshot(warehouse, {
      pages: { status: 'failed' },
      tasks: { status: 'drifted' },
      events: { status: 'failed' },
    })
    await using _lock = await warehouse.runs.lock()
    const comparison = await warehouse.runs.beginComparison()
    expect(comparison.storedHash({ pid: 'p1', stream: 'pages' })).toMatchObject({ runId: run.id, records: 1 })
    expect(comparison.storedHash({ pid: 'p1', stream: 'tasks' })).toEqual({
      runId: null,
      contentHash: null,
      records: null,
      readAt: null,
    })
    expect(comparison.storedHash({ pid: 'p1', stream: 'events' })).toBeNull()
    expect([comparison.hasRead('p1'), comparison.hasRead('p2')]).toEqual([true, false])
  })

  test('projects that are not stored are missing, stored ones that do not exist are extra', async () => {
    const warehouse = await backend.warehouse()
    await inRun(warehouse, async (run) => {
      for (const pid of ['p1', 'p2', 'p3']) {
        await publishIn(run, pid, { projects: { batches: [batch('project', [project(pid)])] } }, NO_LIMITS)
      }
    })
    await using _lock = await warehouse.runs.lock()
    const comparison = await warehouse.runs.beginComparison()
    const of = (kind: string, pid: string) => ({ table: 'projects', kind, key: { pid }, columns: [] })
    const [listed, barred, gone] = [new Set(['p1', 'p2', 'p4', 'p5']), new Set(['p5']), new Set(['p2'])]
    expect(await comparison.compareProjects({ listed, barred, gone })).toEqual([
      of('missing', 'p4'),
      of('extra', 'p2'),
      of('extra', 'p3'),
    ])
    expect(await comparison.compareProjects({ listed: null, barred, gone })).toEqual([of('extra', 'p2')])
  })

  test('an aborted stage leaves nothing behind, and the next run works', async () => {
    const warehouse = await backend.another()
    await snapshot(warehouse, everything())
    {
      await using _lock = await warehouse.runs.lock()
      const comparison = await warehouse.runs.beginComparison()
      const stage = await comparison.stage('p1')
      await expect(comparison.stage('p1')).rejects.toMatchObject({ code: 'MISUSE' })
      await feed(stage, 'p1', everything())
      await comparison.end()
      await expect(stage.compare()).rejects.toMatchObject({ code: 'MISUSE' })
    }
    expect(await stagedRows(backend, warehouse)).toBe(0)
    const { tables } = await snapshot(warehouse, everything())
    for (const counts of Object.values(tables)) expect(counts).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
  })
})
