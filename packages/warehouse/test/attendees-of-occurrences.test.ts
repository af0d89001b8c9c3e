import { EPOCH } from '@collab-etl/contract/timestamp'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { migrate, supportedVersion } from '../src/migrate/migrate.ts'
import { schemaNames } from '../src/names.ts'
import { DriverWarehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { RANGE } from './support/everything.ts'
import { event, user } from './support/records.ts'
import { batch, live, snapshot } from './support/snapshot.ts'

/** The version before attendees were kept for each occurrence. */
const BEFORE = 12

const [MONDAY, TUESDAY] = ['2024-01-01T09:00:00.000Z', '2024-01-02T09:00:00.000Z']
const occurrence = (start: string, ...uids: string[]) =>
  event('v1', start, { recurrence: 1, attendees: uids.map((uid) => user(uid)) })

const read = (...records: ReturnType<typeof event>[]) => ({
  events: { batches: [batch('event', records)], range: RANGE },
})

async function attendees(warehouse: DriverWarehouse): Promise<string[]> {
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

/** SQL of the live or deleted row, and of the versions in the history, of what was stored in some months. */
function versions(
  schema: string,
  table: string,
  key: string,
  columns: string,
  stored: readonly boolean[],
  months: readonly string[],
): string[] {
  const spans: { from: string; to: string | null }[] = []
  for (const [index, month] of months.entries()) {
    if (stored[index] !== true || (index > 0 && stored[index - 1] === true)) continue
    const end = stored.indexOf(false, index)
    spans.push({ from: month, to: end === -1 ? null : (months[end] ?? null) })
  }
  const text = (time: string | null) => (time === null ? 'NULL' : `'${time}'`)
  const last = spans.at(-1)
  return [
    ...spans.flatMap(({ from, to }) =>
      to === null
        ? []
        : `INSERT INTO ${schema}_history.${table} (${columns}, valid_from, valid_to) VALUES (${key}, '${from}', '${to}');`,
    ),
    ...(last === undefined
      ? []
      : [
          `INSERT INTO ${schema}.${table} (${columns}, valid_from, deleted_at) VALUES (${key}, '${last.from}', ${text(last.to)});`,
        ]),
  ]
}

onBackendsInTurn('the upgrade that tells occurrences apart', (backend) => {
  async function upgraded(fill: (schema: string) => string): Promise<DriverWarehouse> {
    const names = schemaNames(backend.schema())
    await migrate(backend.driver, names, BEFORE)
    await backend.driver.script(fill(names.name))
    const warehouse = new DriverWarehouse(backend.driver, names, await supportedVersion())
    await warehouse.migrate()
    return warehouse
  }

  const [jan, feb, mar, apr] = ["'2024-01-01Z'", "'2024-02-01Z'", "'2024-03-01Z'", "'2024-04-01Z'"]

  /** Monday is stored since January, Tuesday from February to March; u1 attends since January, u2 until April. */
  const pooled = (schema: string) => `
    INSERT INTO ${schema}.events (pid, event_id, starts_at, name, valid_from, deleted_at) VALUES
      ('p1', 'v1', '${MONDAY}', 'new', ${feb}, NULL), ('p1', 'v1', '${TUESDAY}', 'a', ${feb}, ${mar});
    INSERT INTO ${schema}_history.events (pid, event_id, starts_at, name, valid_from, valid_to) VALUES
      ('p1', 'v1', '${MONDAY}', 'old', ${jan}, ${feb}), ('p1', 'v1', '${TUESDAY}', 'a', ${feb}, ${mar});
    INSERT INTO ${schema}.event_attendees (pid, event_id, uid, valid_from, deleted_at) VALUES
      ('p1', 'v1', 'u1', ${jan}, NULL), ('p1', 'v1', 'u2', ${jan}, ${apr}), ('p1', 'v9', 'u9', ${jan}, NULL);
    INSERT INTO ${schema}_history.event_attendees (pid, event_id, uid, valid_from, valid_to) VALUES
      ('p1', 'v1', 'u2', ${jan}, ${apr});`

  test('gives each occurrence the attendees of the event for the time in which it was stored', async () => {
    const warehouse = await upgraded(pooled)
    const { schema } = warehouse
    const at = async (moment: string) => {
      const { rows } = await backend.driver.query(
        `SELECT event_id || ' ' || to_char(starts_at AT TIME ZONE 'UTC', 'MM-DD') || ' ' || uid
         FROM ${schema}.event_attendees_as_of(${moment}) ORDER BY event_id, starts_at, uid`,
      )
      return rows.flat()
    }
    // the occurrence of v9 was never stored: its start is not known
    expect(await attendees(warehouse)).toEqual([`v1 ${MONDAY} u1`, `v9 ${EPOCH} u9`])
    expect(await at(jan)).toEqual(['v1 01-01 u1', 'v1 01-01 u2', 'v9 01-01 u9'])
    expect(await at(feb)).toEqual(['v1 01-01 u1', 'v1 01-01 u2', 'v1 01-02 u1', 'v1 01-02 u2', 'v9 01-01 u9'])
    expect(await at(mar)).toEqual(['v1 01-01 u1', 'v1 01-01 u2', 'v9 01-01 u9'])
    expect(await at(apr)).toEqual(['v1 01-01 u1', 'v9 01-01 u9'])
    const ends = await backend.driver.query(
      `SELECT uid, to_char(starts_at AT TIME ZONE 'UTC', 'MM-DD'), to_char(deleted_at AT TIME ZONE 'UTC', 'MM')
       FROM ${schema}.event_attendees WHERE deleted_at IS NOT NULL ORDER BY 1, 2`,
    )
    expect(ends.rows).toEqual([
      ['u1', '01-02', '03'],
      ['u2', '01-01', '04'],
      ['u2', '01-02', '03'],
    ])
  })

  test('lets the next snapshot correct pooled attendees, and a second one changes nothing', async () => {
    const warehouse = await upgraded(pooled)
    const now = read(occurrence(MONDAY, 'u3'), event('v9', MONDAY, { attendees: [user('u9')] }))
    await snapshot(warehouse, now)
    expect(await attendees(warehouse)).toEqual([`v1 ${MONDAY} u3`, `v9 ${EPOCH} u9`, `v9 ${MONDAY} u9`])
    const { tables } = await snapshot(warehouse, now)
    expect(tables['event_attendees']).toMatchObject({ inserted: 0, updated: 0, deleted: 0 })
  })

  test('after any history, each occurrence has the attendees of its event at that time', async () => {
    const months = ['01', '02', '03', '04', '05'].map((month) => `2024-${month}-01T00:00:00.000Z`)
    /** In which months something was stored. */
    const presence = fc.array(fc.boolean(), { minLength: months.length, maxLength: months.length })
    const history = fc.record({ monday: presence, tuesday: presence, u1: presence, u2: presence })
    const events = fc.sample(history, 150).map((of, index) => ({ id: `v${index}`, of }))
    const warehouse = await upgraded((schema) =>
      events
        .flatMap(({ id, of }) => [
          ...versions(schema, 'events', `'p1', '${id}', '${MONDAY}'`, 'pid, event_id, starts_at', of.monday, months),
          ...versions(schema, 'events', `'p1', '${id}', '${TUESDAY}'`, 'pid, event_id, starts_at', of.tuesday, months),
          ...versions(schema, 'event_attendees', `'p1', '${id}', 'u1'`, 'pid, event_id, uid', of.u1, months),
          ...versions(schema, 'event_attendees', `'p1', '${id}', 'u2'`, 'pid, event_id, uid', of.u2, months),
        ])
        .join('\n'),
    )
    const { schema } = warehouse
    for (const [month, moment] of months.entries()) {
      const { rows } = await backend.driver.query(
        `SELECT a.event_id || ' ' || to_char(a.starts_at AT TIME ZONE 'UTC', 'DD') || ' ' || a.uid
         FROM ${schema}.event_attendees_as_of('${moment}') a
         JOIN ${schema}.events_as_of('${moment}') e ON e.event_id = a.event_id AND e.starts_at = a.starts_at`,
      )
      const expected = events.flatMap(({ id, of }) =>
        (['monday', 'tuesday'] as const).flatMap((day) =>
          (['u1', 'u2'] as const)
            .filter((uid) => of[day][month] && of[uid][month])
            .map((uid) => `${id} ${day === 'monday' ? '01' : '02'} ${uid}`),
        ),
      )
      expect(rows.flat().sort()).toEqual(expected.sort())
    }
  })

  test('keeps columns, views and functions that others depend on', async () => {
    const warehouse = await upgraded(
      (schema) => `
      ALTER TABLE ${schema}.event_attendees ADD COLUMN note text;
      CREATE VIEW ${schema}.theirs AS SELECT uid, note FROM ${schema}.event_attendees;
      CREATE VIEW ${schema}.then AS SELECT uid FROM ${schema}.event_attendees_as_of('2024-02-15Z');
      ${pooled(schema)} UPDATE ${schema}.event_attendees SET note = 'theirs' WHERE uid = 'u1';`,
    )
    const { schema } = warehouse
    const rows = async (sql: string) => (await backend.driver.query(sql)).rows.flat()
    expect(await rows(`SELECT uid FROM ${schema}.theirs WHERE note = 'theirs'`)).toEqual(['u1'])
    expect(await rows(`SELECT uid FROM ${schema}.then ORDER BY 1`)).toEqual(['u1', 'u1', 'u2', 'u2', 'u9'])
    expect(await warehouse.missingObjects()).toEqual([])
  })

  test('keeps a view on a function of the first versions, which returns the type of the table', async () => {
    const names = schemaNames(backend.schema())
    await migrate(backend.driver, names, 8)
    await backend.driver.script(
      `CREATE VIEW ${names.name}.then AS SELECT uid FROM ${names.name}.event_attendees_as_of('2024-02-15Z'); ${pooled(names.name)}`,
    )
    const warehouse = new DriverWarehouse(backend.driver, names, await supportedVersion())
    await warehouse.migrate()
    const { rows } = await backend.driver.query(`SELECT uid FROM ${names.name}.then ORDER BY 1`)
    expect(rows.flat()).toEqual(['u1', 'u1', 'u2', 'u2', 'u9'])
  })
})
