import { expect, test } from 'vitest'
import { onPostgres } from './support/backends.ts'
import { webhook } from './support/records.ts'
import { batch, live, snapshot } from './support/snapshot.ts'

const input = (wid: string) => ({ webhooks: { batches: [batch('webhook', [webhook(wid)])] } })

onPostgres('publishing projects at once', (backend) => {
  test.each([
    ['the first of all', false],
    ['one of several', true],
  ])('a webhook that another project publishes at that moment stays that one’s: %s', async (_, isAnyStored) => {
    const warehouse = await backend.warehouse()
    const webhooks = `${warehouse.schema}.webhooks`
    if (isAnyStored) await snapshot(warehouse, input('w1'), { pid: 'p3' })
    const [publishing] = await backend.driver.transaction(async (connection) => {
      await connection.query(`INSERT INTO ${webhooks} (wid, pid, valid_from) VALUES ('w2', 'p2', now())`)
      const published = snapshot(warehouse, input('w2'), { pid: 'p1' })
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
})
