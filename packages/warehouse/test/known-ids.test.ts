import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { post } from './support/records.ts'
import { batch, knownIdsOf, NO_LIMITS, snapshot } from './support/snapshot.ts'

const DAY = 24 * 60 * 60 * 1000
const NEVER_READ = { isWaiting: false, isDoubtful: false, isFromText: false, isUnread: false, isStored: false }

onBackendsInTurn('ids that are known', (backend) => {
  const known = (...ids: string[]) =>
    batch(
      'known_post',
      ids.map((post_id) => ({ pid: 'p1', post_id, source: 'page' })),
    )
  const gone = (...ids: string[]) =>
    batch(
      'not_found_post',
      ids.map((post_id) => ({ post_id })),
    )

  /** How many days the id waits, and how often in a row it did not exist. */
  async function waitOf(warehouse: Warehouse, id: string): Promise<{ missed: unknown; days: number | null }> {
    const { rows } = await backend.driver.query(
      `SELECT missed, extract(epoch FROM ask_again_at - (SELECT max(started_at) FROM ${warehouse.schema}.runs))::float8
       FROM ${warehouse.schema}.known_posts WHERE post_id = $1`,
      [id],
    )
    const [missed, seconds] = rows[0] ?? []
    return { missed, days: typeof seconds === 'number' ? (seconds * 1000) / DAY : null }
  }

  test('that do not exist wait longer each time, at most 30 days less six hours', async () => {
    const warehouse = await backend.warehouse()
    const waits: (number | null)[] = []
    for (let night = 0; night < 8; night++) {
      await snapshot(warehouse, { posts: { batches: [known('n1'), gone('n1')] } })
      waits.push((await waitOf(warehouse, 'n1')).days)
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30, 30].map((days) => days - 0.25))
    expect(await warehouse.log.knownIds('post', 'p1')).toEqual([
      { ...NEVER_READ, id: 'n1', source: 'page', isWaiting: true, isFromText: true },
    ])
    expect(await knownIdsOf(warehouse, 'post', 'p1')).toEqual(['n1'])
  })

  test('do not wait once they exist, or when the wait is over, or longer than any wait', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { posts: { batches: [known('n1', 'n2', 'n3'), gone('n1', 'n2', 'n3')] } })
    await snapshot(warehouse, { posts: { batches: [batch('post', [post('n1')])] } })
    expect(await waitOf(warehouse, 'n1')).toEqual({ missed: 0, days: null })
    const table = `${warehouse.schema}.known_posts`
    await backend.driver.query(`UPDATE ${table} SET ask_again_at = now() - interval '1 second' WHERE post_id = 'n2'`)
    await backend.driver.query(`UPDATE ${table} SET ask_again_at = now() + interval '3 years' WHERE post_id = 'n3'`)
    expect((await warehouse.log.knownIds('post', 'p1')).filter(({ isWaiting }) => isWaiting)).toEqual([])
  })

  test('of stored rows never wait; those of deleted rows wait from then on', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { posts: { batches: [known('n1'), batch('post', [post('n1')])] } })
    // refused by the deletion guard: it is still stored
    await snapshot(warehouse, { posts: { batches: [gone('n1')] } })
    expect(await waitOf(warehouse, 'n1')).toEqual({ missed: 0, days: null })
    await snapshot(warehouse, { posts: { batches: [gone('n1')] } }, { limits: NO_LIMITS })
    expect(await waitOf(warehouse, 'n1')).toEqual({ missed: 1, days: 0.75 })
  })

  test('that a failed reading reported missing do not wait; those never requested are doubtful', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { posts: { batches: [known('n1'), gone('n1')], status: 'failed' } })
    await warehouse.log.addKnown([
      { kind: 'post', pid: 'p1', id: 'n2', source: 'flag' },
      { kind: 'post', pid: 'p1', id: 'n3', source: 'task' },
    ])
    const of = async () => (await warehouse.log.knownIds('post', 'p1')).filter(({ id }) => id !== 'n1')
    expect(await of()).toEqual([
      { ...NEVER_READ, id: 'n2', source: 'flag' },
      { ...NEVER_READ, id: 'n3', source: 'task', isDoubtful: true, isFromText: true },
    ])
  })
})
