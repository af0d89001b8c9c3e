import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { RANGE } from './support/everything.ts'
import { event, user } from './support/records.ts'
import { batch, live, snapshot } from './support/snapshot.ts'

const [MONDAY, TUESDAY] = ['2024-01-01T09:00:00.000Z', '2024-01-02T09:00:00.000Z']
const occurrence = (start: string, ...uids: string[]) =>
  event('v1', start, { recurrence: 1, attendees: uids.map((uid) => user(uid)) })

const read = (...records: ReturnType<typeof event>[]) => ({
  events: { batches: [batch('event', records)], range: RANGE },
})

async function attendees(warehouse: Warehouse): Promise<string[]> {
  const rows = await live(warehouse, 'event_attendees', ['event_id', 'starts_at', 'uid'])
  return rows.map(({ event_id, starts_at, uid }) => `${event_id} ${starts_at} ${uid}`)
}

onBackendsInTurn('attendees of a recurring event', (backend) => {
  test('belong to one occurrence, and one that changes leaves the others alone', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, read(occurrence(MONDAY, 'u1', 'u2'), occurrence(TUESDAY, 'u2')))
    expect(await attendees(warehouse)).toEqual([`v1 ${MONDAY} u1`, `v1 ${MONDAY} u2`, `v1 ${TUESDAY} u2`])
    const { tables } = await snapshot(warehouse, read(occurrence(MONDAY, 'u1'), occurrence(TUESDAY, 'u2', 'u3')))
    expect(tables['event_attendees']).toMatchObject({ inserted: 1, deleted: 1 })
    expect(await attendees(warehouse)).toEqual([`v1 ${MONDAY} u1`, `v1 ${TUESDAY} u2`, `v1 ${TUESDAY} u3`])
  })

  test('are deleted with their occurrence; those of other occurrences stay', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, read(occurrence(MONDAY, 'u1'), occurrence(TUESDAY, 'u1')))
    await snapshot(warehouse, read(occurrence(TUESDAY, 'u1')))
    expect(await attendees(warehouse)).toEqual([`v1 ${TUESDAY} u1`])
  })
})
