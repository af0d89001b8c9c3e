import { backends } from '@collab-etl/harness/backends'
import { onServer } from '@collab-etl/harness/postgres'
import { task } from '@collab-etl/harness/records'
import { testEveryNth, testThoroughly } from '@collab-etl/harness/thorough'
import { openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HowRead, readNight, startService } from './one-project.ts'

/** The first backend is enough: both store the same blocks. */
const [backend] = backends()
if (backend === undefined) throw new Error('there is always a backend')

describe('tasks that come in the same bytes', () => {
  let opened: Awaited<ReturnType<typeof backend.open>>
  let service: Awaited<ReturnType<typeof startService>>
  let warehouse: Warehouse
  let number = 0

  beforeAll(async () => {
    opened = await backend.open()
    service = await startService()
    const { DATABASE_URL: databaseUrl, COLLAB_DATA_DIR: dataDir = '' } = opened.env
    warehouse = await openWarehouse({ ...(databaseUrl && { databaseUrl }), dataDir, schema: 'collab' })
  })

  afterAll(async () => {
    await service.close()
    await warehouse.close()
    await opened[Symbol.asyncDispose]()
  })

  /** Runs statements as another program. */
  const damage = (sql: string) => onServer(opened.env['DATABASE_URL'] ?? '', sql)

  /** A new project; `night` reads it with these tasks, and gives how many were not parsed. */
  const newProject = () => {
    const pid = `q${++number}`
    const read = async (tasks: readonly string[], how: HowRead = {}) => {
      service.show(pid, tasks)
      return await readNight(warehouse, service, pid, how)
    }
    const night = async (tasks: readonly string[], how: HowRead = {}) => (await read(tasks, how)).unparsed
    const names = async () => {
      const { rows } = await warehouse.rows.query(
        `SELECT replace(name, pid, '') FROM tasks WHERE pid = '${pid}' AND deleted_at IS NULL ORDER BY tid`,
      )
      return rows.map(([name]) => name)
    }
    const text = (each: number, fields: object = {}) => JSON.stringify({ ...task(pid, each), ...fields })
    const texts = [1, 2, 3].map((each) => text(each))
    return { pid, read, night, names, text, texts }
  }

  test('are not parsed; one that changed is', async () => {
    const { night, names, text, texts } = newProject()
    expect(await night(texts)).toBe(0)
    expect(await night(texts)).toBe(3)
    expect(await night([...texts.slice(0, 2), text(3, { name: 'New' })])).toBe(2)
    expect(await names()).toEqual(['Task  1', 'Task  2', 'New'])
  })

  testThoroughly(
    'in another order of fields or with white space are parsed, and both forms are known then',
    async () => {
      const { night, texts } = newProject()
      await night(texts)
      const other = texts.map(
        (text) => ` ${JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(text)).reverse()))}\n`,
      )
      expect(await night(other)).toBe(0)
      expect(await night(other)).toBe(3)
      expect(await night(texts)).toBe(3)
    },
  )

  test('with a conversion issue are parsed every night, and the issue is listed every night', async () => {
    const { pid, night, text, texts } = newProject()
    const odd = [text(1, { completed: '1' }), ...texts.slice(1)]
    for (const unparsed of [0, 2, 2]) expect(await night(odd)).toBe(unparsed)
    const { rows } = await warehouse.rows.query(`SELECT count(*) FROM losses WHERE pid = '${pid}' AND kind = 'coerced'`)
    expect(rows[0]?.[0]).toBe(3)
  })

  testEveryNth(
    [
      ['a field that is left out', { desc: undefined }],
      ['an unknown field', { new_field: { deep: [1] } }],
      ['another project', { pid: 'other' }],
      ['fewer items of its checklist than it counts', { todos: [] }],
      ['a name that is not stored as sent', { entry_name: 'To\0do' }],
      ['a user whose name is not stored as sent', { members: [{ ...task('', 1).members[0], name: 'A\0' }] }],
      ['a number of more digits than a double has', { pos: 0.1 }],
    ] as const,
    3,
  )('with %s give what a reading that parses everything gives', async (_, fields) => {
    const { read, text, texts } = newProject()
    const sent = [text(1, fields).replace('"pos":0.1', '"pos":0.1000000000000000055'), ...texts.slice(1)]
    await read(sent)
    const second = await read(sent)
    expect(second.unparsed).toBeGreaterThan(0)
    expect(second.published).toEqual((await read(sent, { parsesAll: true })).published)
  })

  testThoroughly('are parsed under other link patterns, another tool version, or --full', async () => {
    const { night, texts } = newProject()
    await night(texts)
    expect(await night(texts, { readAs: 'b' })).toBe(0)
    expect(await night(texts, { readAs: 'b' })).toBe(3)
    expect(await night(texts, { readAs: 'b', toolVersion: '2' })).toBe(0)
    expect(await night(texts, { readAs: 'b', toolVersion: '2', isFull: true })).toBe(0)
    expect(await night(texts, { readAs: 'b', toolVersion: '2' })).toBe(3)
  })

  test('count once if the answer breaks off and is read again', async () => {
    const { pid, night, text } = newProject()
    const many = Array.from({ length: 300 }, (_, each) => text(each, { desc: 'x'.repeat(500) }))
    await night(many)
    service.breaking.add('tasks.list')
    expect(await night(many)).toBeGreaterThanOrEqual(300)
    const { rows } = await warehouse.rows.query(
      `SELECT DISTINCT records_read, content_hash, rows_read FROM run_scopes WHERE pid = '${pid}' AND stream = 'tasks'`,
    )
    expect(rows).toEqual([[300, expect.any(String), expect.anything()]])
  })

  describe.skipIf(backend.name !== 'postgres')('and another program', () => {
    test('deleted a row: it is stored again', async () => {
      const { pid, night, names, texts } = newProject()
      await night(texts)
      await damage(`DELETE FROM collab.tasks WHERE pid = '${pid}' AND tid = '${pid}-T2'`)
      expect(await night(texts)).toBe(2)
      expect(await names()).toEqual(['Task  1', 'Task  2', 'Task  3'])
    })

    test('edited a row: it stays so until --full', async () => {
      const { pid, night, names, texts } = newProject()
      await night(texts)
      await damage(`UPDATE collab.tasks SET name = 'Edited' WHERE pid = '${pid}' AND tid = '${pid}-T2'`)
      await night(texts)
      expect(await names()).toEqual(['Task  1', 'Edited', 'Task  3'])
      await night(texts, { isFull: true })
      expect(await names()).toEqual(['Task  1', 'Task  2', 'Task  3'])
    })

    test('damaged or removed the received bytes: the records are parsed', async () => {
      const { pid, night, texts } = newProject()
      await night(texts)
      await damage(`UPDATE collab_stage.received SET block = set_byte(block, 60, 255) WHERE pid = '${pid}'`)
      expect(await night(texts)).toBe(0)
      expect(await night(texts)).toBe(3)
      await damage('TRUNCATE collab_stage.received')
      expect(await night(texts)).toBe(0)
    })
  })
})
