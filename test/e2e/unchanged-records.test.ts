import { backends } from '@collab-etl/harness/backends'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService } from './changing-nights.ts'
import { damage, readNight } from './read-night.ts'

const TIME = '2024-01-01T00:00:00.000Z'
const EPOCH = '1970-01-01T00:00:00.000Z'
const ANN = { uid: 'u1', name: 'Ann', display_name: 'a', avatar: '', desc: '', status: 1, online: 0 }

function task(pid: string, number: number, fields: object = {}): Record<string, unknown> {
  return {
    ...{
      tid: `t${number}`,
      name: `Task ${number}`,
      pid,
      entry_id: 'e1',
      entry_name: 'Todo',
      created_at: TIME,
      updated_at: TIME,
    },
    ...{
      labels: [],
      todos: [],
      members: [ANN],
      watchers: [],
      completed: 0,
      completed_date: EPOCH,
      expire_date: EPOCH,
      pos: 1,
    },
    badges: { expire_date: EPOCH, comment_count: 0, todo_checked_count: 0, todo_count: 0, file_count: 0 },
    ...{ desc: '', project: { pid, name: 'Own', pic: 'p', bg: '#1' } },
    ...fields,
  }
}

const NIGHT = { isFull: false, readAs: 'a' }

/** The first backend is enough: both store the same blocks, as the property over any nights shows. */
const [backend] = backends()

describe('tasks that come in the same bytes', () => {
  let opened: Awaited<ReturnType<NonNullable<typeof backend>['open']>>
  let service: Awaited<ReturnType<typeof startService>>
  let warehouse: Warehouse
  let number = 0

  beforeAll(async () => {
    if (backend === undefined) throw new Error('there is always a backend')
    opened = await backend.open()
    service = await startService()
    const { DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = '' } = opened.env
    warehouse = await openWarehouse({ ...(databaseUrl && { databaseUrl }), dataDir, schema: 'collab' })
    await warehouse.admin.migrate()
  })

  afterAll(async () => {
    service.close()
    await warehouse.close()
    await opened[Symbol.asyncDispose]()
  })

  /** A new project; `night` reads it with these tasks, and gives how many were not parsed. */
  const newProject = () => {
    const pid = `q${++number}`
    const send = (tasks: readonly string[]) =>
      service.show(pid, { project: { name: 'Own' }, tasks, archived: [], pages: [], events: [] })
    const night = async (tasks: readonly string[], how: object = {}) => {
      send(tasks)
      const { isFull = false, readAs = 'a', ...options } = { ...NIGHT, ...how } as typeof NIGHT
      const read = await readNight(warehouse, service, pid, { isFull, readAs }, options)
      return read.unparsed
    }
    const names = async () => {
      const { rows } = await warehouse.rows.query(
        `SELECT name FROM tasks WHERE pid = '${pid}' AND deleted_at IS NULL ORDER BY tid`,
      )
      return rows.map(([name]) => name)
    }
    const texts = (change: (task: Record<string, unknown>) => Record<string, unknown> = (same) => same) =>
      [1, 2, 3].map((each) => JSON.stringify(change(task(pid, each))))
    return { pid, night, names, texts }
  }

  test('are not parsed; one that changed is', async () => {
    const { pid, night, names, texts } = newProject()
    expect(await night(texts())).toBe(0)
    expect(await night(texts())).toBe(3)
    expect(await night([...texts().slice(0, 2), JSON.stringify(task(pid, 3, { name: 'New' }))])).toBe(2)
    expect(await names()).toEqual(['Task 1', 'Task 2', 'New'])
  })

  test('in another order of fields or with white space are parsed, and both forms are known then', async () => {
    const { night, texts } = newProject()
    await night(texts())
    const other = texts((each) => Object.fromEntries(Object.entries(each).reverse())).map((text) => ` ${text}\n`)
    expect(await night(other)).toBe(0)
    expect(await night(other)).toBe(3)
    expect(await night(texts())).toBe(3)
  })

  test('with a conversion issue are parsed every night, and the issue is listed every night', async () => {
    const { pid, night, texts } = newProject()
    const odd = [JSON.stringify(task(pid, 1, { completed: '1' })), ...texts().slice(1)]
    for (const unparsed of [0, 2, 2]) expect(await night(odd)).toBe(unparsed)
    const { rows } = await warehouse.rows.query(`SELECT count(*) FROM losses WHERE pid = '${pid}' AND kind = 'coerced'`)
    expect(rows[0]?.[0]).toBe(3)
  })

  test('are parsed under other link patterns, another tool version, or --full', async () => {
    const { night, texts } = newProject()
    await night(texts())
    expect(await night(texts(), { readAs: 'b' })).toBe(0)
    expect(await night(texts(), { readAs: 'b' })).toBe(3)
    expect(await night(texts(), { readAs: 'b', toolVersion: '2' })).toBe(0)
    expect(await night(texts(), { readAs: 'b', toolVersion: '2', isFull: true })).toBe(0)
    expect(await night(texts(), { readAs: 'b', toolVersion: '2' })).toBe(3)
  })

  test('count once if the answer breaks off and is read again', async () => {
    const { pid, night } = newProject()
    const many = Array.from({ length: 300 }, (_, each) => JSON.stringify(task(pid, each, { desc: 'x'.repeat(500) })))
    await night(many)
    service.breaking.add('tasks.list')
    expect(await night(many)).toBeGreaterThanOrEqual(300)
    const { rows } = await warehouse.rows.query(
      `SELECT DISTINCT records_read, content_hash, rows_read FROM run_scopes WHERE pid = '${pid}' AND stream = 'tasks'`,
    )
    expect(rows).toEqual([[300, expect.any(String), expect.anything()]])
  })

  test.skipIf(backend?.name !== 'postgres')('whose rows were deleted are stored again', async () => {
    const { pid, night, names, texts } = newProject()
    await night(texts())
    await damage(opened.env, `DELETE FROM collab.tasks WHERE pid = '${pid}' AND tid = 't2'`)
    expect(await night(texts())).toBe(2)
    expect(await names()).toEqual(['Task 1', 'Task 2', 'Task 3'])
  })

  test.skipIf(backend?.name !== 'postgres')('whose rows were edited stay so until --full', async () => {
    const { pid, night, names, texts } = newProject()
    await night(texts())
    await damage(opened.env, `UPDATE collab.tasks SET name = 'Edited' WHERE pid = '${pid}' AND tid = 't2'`)
    await night(texts())
    expect(await names()).toEqual(['Task 1', 'Edited', 'Task 3'])
    await night(texts(), { isFull: true })
    expect(await names()).toEqual(['Task 1', 'Task 2', 'Task 3'])
  })

  test.skipIf(backend?.name !== 'postgres')('are parsed if what is known of them is damaged or lost', async () => {
    const { pid, night, texts } = newProject()
    await night(texts())
    await damage(opened.env, `UPDATE collab_stage.received SET block = set_byte(block, 60, 255) WHERE pid = '${pid}'`)
    expect(await night(texts())).toBe(0)
    expect(await night(texts())).toBe(3)
    await damage(opened.env, 'TRUNCATE collab_stage.received')
    expect(await night(texts())).toBe(0)
  })
})
