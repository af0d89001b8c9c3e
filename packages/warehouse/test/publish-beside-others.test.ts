import { testEveryNth } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn, onPostgres } from './support/backends.ts'
import { page, task, user, webhook } from './support/records.ts'
import { batch, feed, inRun, live, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

/** What the service holds, one turn after the other: a task that changes with its label, one that goes, one that comes. */
function turn(number: number): Streams {
  const name = `turn ${number}`
  const labels = [{ name: 'red', desc: name }]
  const changing = task('t1', { name, labels, members: [user('u1', { name })] })
  const others = number === 1 ? [task('t2', { labels })] : [task('t3', { name, labels })]
  return {
    tasks: { batches: [batch('task', [changing, ...others, task('t4')])] },
    archived_tasks: { batches: [batch('archived_task', [])] },
    pages: { batches: [batch('page', [page('g1', { name, owner: null }), page('g2', { owner: null })])] },
    webhooks: { batches: [batch('webhook', [webhook('w1', { name })])] },
  }
}

async function stored(warehouse: Warehouse): Promise<unknown> {
  return {
    tasks: await live(warehouse, 'tasks', ['tid', 'name']),
    labels: await live(warehouse, 'task_labels', ['tid', 'description']),
    pages: await live(warehouse, 'pages', ['page_id', 'name']),
    webhooks: await live(warehouse, 'webhooks', ['wid', 'name']),
    users: await live(warehouse, 'users', ['uid', 'name']),
  }
}

function expected(number: number): unknown {
  const name = `turn ${number}`
  return {
    tasks: [
      { tid: 't1', name },
      { tid: 't3', name },
      { tid: 't4', name: 'Task t4' },
    ],
    labels: ['t1', 't3'].map((tid) => ({ tid, description: name })),
    pages: [
      { page_id: 'g1', name },
      { page_id: 'g2', name: 'Page g2' },
    ],
    webhooks: [{ wid: 'w1', name }],
    users: [{ uid: 'u1', name }],
  }
}

const hook = (wid: string) => ({ webhooks: { batches: [batch('webhook', [webhook(wid)])] } })

const statuses = ({ scopes }: { scopes: readonly { status: string }[] }) => [
  ...new Set(scopes.map(({ status }) => status)),
]

onPostgres('publishing while another session writes the same rows', (backend) => {
  testEveryNth(
    [
      ['updates a row that changed', "UPDATE tasks SET name = 'theirs' WHERE tid = 't1'"],
      ['deletes a row that changed', "DELETE FROM tasks WHERE tid = 't1'"],
      [
        'inserts a row that is new',
        "INSERT INTO tasks (pid, tid, name, valid_from) VALUES ('p1', 't3', 'theirs', now())",
      ],
      ['updates a row that is gone', "UPDATE tasks SET name = 'theirs' WHERE tid = 't2'"],
      ['deletes a row that is gone', "DELETE FROM task_labels WHERE tid = 't2'; DELETE FROM tasks WHERE tid = 't2'"],
      ['updates a child', "UPDATE task_labels SET description = 'theirs' WHERE tid = 't1'"],
      ['deletes a child', "DELETE FROM task_labels WHERE tid = 't1'"],
      ['inserts a child', "INSERT INTO task_labels (pid, tid, name, valid_from) VALUES ('p1', 't3', 'red', now())"],
      ['updates a child of a row that is gone', "UPDATE task_labels SET description = 'theirs' WHERE tid = 't2'"],
      ['updates a webhook', "UPDATE webhooks SET name = 'theirs'"],
      ['deletes a webhook', 'DELETE FROM webhooks'],
      ['updates a user', "UPDATE users SET name = 'theirs' WHERE uid = 'u1'"],
      [
        'updates rows of several tables',
        "UPDATE pages SET name = 'theirs' WHERE page_id = 'g1'; UPDATE tasks SET name = 'theirs' WHERE tid = 't1'",
      ],
    ],
    3,
  )('that %s: everything is stored, and the next runs succeed', async (_, theirs) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, turn(1), { limits: NO_LIMITS })
    const { publishing } = await backend.driver.transaction(async (connection) => {
      await connection.script(`SET LOCAL search_path = ${warehouse.schema}; ${theirs}`)
      const publishing = snapshot(warehouse, turn(2), { limits: NO_LIMITS })
      await somebodyWaits()
      return { publishing }
    })
    expect(statuses(await publishing)).toEqual(['complete'])
    expect(await stored(warehouse)).toEqual(expected(2))
    expect(statuses(await snapshot(warehouse, turn(3), { limits: NO_LIMITS }))).toEqual(['complete'])
    expect(await stored(warehouse)).toEqual(expected(3))
    expect(await overlapping(warehouse.schema)).toEqual([])
  })

  test.each([
    ['the first of all', false],
    ['one of several', true],
  ])('a webhook that another project publishes at that moment stays that one’s: %s', async (_, isAnyStored) => {
    const warehouse = await backend.warehouse()
    const webhooks = `${warehouse.schema}.webhooks`
    if (isAnyStored) await snapshot(warehouse, hook('w1'), { pid: 'p3' })
    const [publishing] = await backend.driver.transaction(async (connection) => {
      await connection.query(`INSERT INTO ${webhooks} (wid, pid, valid_from) VALUES ('w2', 'p2', now())`)
      const published = snapshot(warehouse, hook('w2'), { pid: 'p1' })
      await somebodyWaits()
      return [published]
    })
    expect((await publishing).scopes).toMatchObject([{ status: 'complete' }])
    expect(await live(warehouse, 'webhooks', ['wid', 'pid'])).toContainEqual({ wid: 'w2', pid: 'p2' })
  })

  async function somebodyWaits(): Promise<void> {
    const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`
    await expect.poll(async () => (await backend.driver.query(waiting)).rows).not.toEqual([])
  }

  /** Versions of a task that are said to have held at the same time. */
  async function overlapping(schema: string): Promise<unknown[]> {
    const { rows } = await backend.driver.query(
      `SELECT a.tid, a.valid_from, b.valid_from FROM ${schema}.task_versions a JOIN ${schema}.task_versions b USING (pid, tid)
       WHERE a.valid_from < b.valid_from AND coalesce(a.valid_to, 'infinity') > b.valid_from`,
    )
    return rows
  }
})

onBackendsInTurn('records read unchanged that another program deletes before they are published', (backend) => {
  test.each([
    ['beside changed ones', 2],
    ['with nothing changed', 1],
  ])('fail the project, %s; the next run restores them', async (_, number) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, turn(1), { limits: NO_LIMITS })
    const scopes = await inRun(warehouse, async (run) => {
      const stage = await run.stage('p1')
      await feed(stage, 'p1', turn(number))
      await backend.driver.script(`DELETE FROM ${warehouse.schema}.tasks WHERE tid = 't4'`)
      return (await stage.publish(NO_LIMITS)).scopes
    })
    expect(scopes.map(({ error }) => error?.code)).toEqual(scopes.map(() => 'NOT_STORED'))
    expect(scopes[0]?.error?.message).toContain('another program deleted or changed 1 row of tasks')
    expect(statuses(await snapshot(warehouse, turn(2), { limits: NO_LIMITS }))).toEqual(['complete'])
    expect(await stored(warehouse)).toEqual(expected(2))
  })
})

onBackendsInTurn('a version in the history that has the key of the next one', (backend) => {
  testEveryNth(
    [
      ['superseded by a run that left the row as it was', "now() - interval '1 microsecond'"],
      ['that ends in the future', "now() + interval '1 year'"],
    ],
    2,
  )('does not keep that one from being stored: %s', async (_, to) => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, turn(1), { limits: NO_LIMITS })
    const { schema } = warehouse
    await backend.driver.script(
      `INSERT INTO ${schema}_history.tasks (pid, tid, name, valid_from, valid_to)
         SELECT pid, tid, 'before', valid_from, ${to} FROM ${schema}.tasks;
       INSERT INTO ${schema}_history.users (uid, name, valid_from, valid_to)
         SELECT uid, 'before', valid_from, ${to} FROM ${schema}.users`,
    )
    for (const number of [2, 3]) {
      expect(statuses(await snapshot(warehouse, turn(number), { limits: NO_LIMITS }))).toEqual(['complete'])
      expect(await stored(warehouse)).toEqual(expected(number))
    }
  })
})
