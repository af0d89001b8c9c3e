import { expect, test } from 'vitest'
import type { ExportState } from '../src/export/types.ts'
import { onBackendsInTurn, onPostgres } from './support/backends.ts'
import { READY_SCHEMA } from './support/templates.ts'

/** The rows of a table as lines. */
async function lines(state: ExportState, table: string): Promise<string[]> {
  const rows: string[] = []
  const sent = await state.copy(table, 'csv', (row) => {
    rows.push(row.toString())
    return undefined
  })
  expect(sent).toBe(rows.length)
  return rows
}

const TEN_THOUSAND = `INSERT INTO ${READY_SCHEMA}.users (uid, name, valid_from)
  SELECT 'u' || n, repeat('x', 100), '2026-01-01' FROM generate_series(10000, 19999) n`

onBackendsInTurn('export', (backend) => {
  test('what the receiver of a row throws reaches the caller, and the warehouse works on', async () => {
    const warehouse = await backend.warehouse()
    await backend.driver.script(TEN_THOUSAND)
    const failing = (receive: () => Promise<void> | undefined) =>
      warehouse.rows.export({ tables: ['users'] }, (state) => state.copy('users', 'csv', receive))
    const thrown = Object.assign(new Error('disk full'), { code: 'ENOSPC' })
    let calls = 0
    await expect(
      failing(() => {
        if (++calls === 5000) throw thrown
        return undefined
      }),
    ).rejects.toBe(thrown)
    expect(calls).toBe(5000)
    await expect(failing(() => Promise.reject(thrown))).rejects.toBe(thrown)
    await expect(warehouse.rows.export({}, () => Promise.reject(thrown))).rejects.toBe(thrown)
    expect((await warehouse.rows.export({ tables: ['users'] }, (state) => lines(state, 'users'))).length).toBe(10_000)
  })

  test('reading waits for what the receiver asks to wait for', async () => {
    const warehouse = await backend.warehouse()
    await backend.driver.script(TEN_THOUSAND)
    let pending = 0
    const sent = await warehouse.rows.export({ tables: ['users'] }, (state) =>
      state.copy('users', 'json', async () => {
        pending++
        await new Promise((resolve) => setTimeout(resolve, 1))
        pending--
      }),
    )
    expect([sent, pending]).toEqual([10_000, 0])
  })
})

onPostgres('export beside others', (backend) => {
  test('all tables are from one state while other sessions write and rewrite', async () => {
    const warehouse = await backend.warehouse()
    const tasks = `${READY_SCHEMA}.tasks`
    await backend.driver.script(`INSERT INTO ${tasks} (pid, tid, valid_from) VALUES ('p', 't', '2026-01-01')`)
    const rows = await warehouse.rows.export({}, async (state) => {
      await backend.driver.script(`INSERT INTO ${tasks} (pid, tid, valid_from) VALUES ('p', 'later', '2026-01-02')`)
      await backend.driver.script(`UPDATE ${tasks} SET name = 'later'`)
      const rewriting = backend.driver.script(`BEGIN; SET LOCAL lock_timeout = 50; TRUNCATE ${tasks}`)
      await expect(rewriting).rejects.toThrow('lock timeout')
      return await lines(state, 'tasks')
    })
    expect(rows).toEqual(['"p",t,,,,,,,,,,,,,,,,2026-01-01 00:00:00+00,,\n'])
  })
})
