import { expect, test } from 'vitest'
import { onBackendsInTurn } from '../support/backends.ts'
import { analysisData, type Row, values } from './data.ts'

const [DAILY, WEEKLY, MONTHLY, YEARLY] = [1, 2, 3, 4]

onBackendsInTurn('event_calendar', (backend) => {
  const given = analysisData(backend)

  const calendar = (from: string, to: string) =>
    given.data.select(`SELECT * FROM SCHEMA.event_calendar('${from}', '${to}') ORDER BY pid, event_id, starts_at`)

  /** Days, and times where they are not 09:00, on which the one event of the test starts. */
  async function starts(event: Row | readonly Row[], from: string, to: string): Promise<string[]> {
    await given.data.add(
      'events',
      [event].flat().map((row) => ({ event_id: 'v1', ...row })),
    )
    return values(await calendar(from, to), 'starts_at').map(([time]) => String(time).replace('T09:00:00.000Z', ''))
  }

  test('an event that does not recur: once, with all its fields', async () => {
    await given.data.add('users', [
      { uid: 'u1', name: 'Zoe' },
      { uid: 'u2', name: 'Ann' },
    ])
    await given.data.add('events', [
      {
        event_id: 'v1',
        starts_at: '2024-03-04T09:00:00Z',
        ends_at: '2024-03-04T10:30:00Z',
        name: 'Talk',
        location: 'Room 1',
        recurrence: 0,
      },
    ])
    await given.data.add('event_attendees', [
      { event_id: 'v1', starts_at: '2024-03-04T09:00:00Z', uid: 'u1' },
      { event_id: 'v1', starts_at: '2024-03-04T09:00:00Z', uid: 'u2' },
      { event_id: 'v1', starts_at: '2024-03-04T09:00:00Z', uid: 'gone', deleted_at: '2024-03-02T00:00:00Z' },
    ])
    expect(await calendar('2024-03-01', '2024-04-01')).toEqual([
      {
        pid: 'p1',
        event_id: 'v1',
        starts_at: '2024-03-04T09:00:00.000Z',
        ends_at: '2024-03-04T10:30:00.000Z',
        name: 'Talk',
        location: 'Room 1',
        recurrence: 0,
        listed_starts_at: '2024-03-04T09:00:00.000Z',
        attendees: ['Ann', 'Zoe'],
      },
    ])
  })

  test('each listed start has its own attendees, and its recurrences have them too', async () => {
    const [monday, tuesday] = ['2024-03-04T09:00:00Z', '2024-03-05T09:00:00Z']
    const event = { event_id: 'v1', recurrence: DAILY }
    await given.data.add('events', [
      { ...event, starts_at: monday },
      { ...event, starts_at: tuesday },
    ])
    await given.data.add('event_attendees', [
      ...['u1', 'u2', 'u3'].map((uid) => ({ event_id: 'v1', starts_at: monday, uid })),
      { event_id: 'v1', starts_at: tuesday, uid: 'u4' },
    ])
    const rows = await calendar('2024-03-01', '2024-03-07')
    expect(values(rows, 'starts_at', 'attendees')).toEqual([
      ['2024-03-04T09:00:00.000Z', ['u1', 'u2', 'u3']],
      ['2024-03-05T09:00:00.000Z', ['u4']],
      ['2024-03-06T09:00:00.000Z', ['u4']],
    ])
  })

  test('the range begins with its start and ends before its end', async () => {
    const event = { starts_at: '2024-03-04T09:00:00Z', ends_at: '2024-03-04T09:00:00Z', recurrence: DAILY }
    expect(await starts(event, '2024-03-05T09:00:00Z', '2024-03-07T09:00:00Z')).toEqual(['2024-03-05', '2024-03-06'])
  })

  test('an event over midnight belongs to both days, and not to the one after', async () => {
    const event = { starts_at: '2024-03-04T22:00:00Z', ends_at: '2024-03-05T02:00:00Z', recurrence: 0 }
    const once = ['2024-03-04T22:00:00.000Z']
    expect(await starts(event, '2024-03-04', '2024-03-05')).toEqual(once)
    expect(await starts([], '2024-03-05', '2024-03-06')).toEqual(once)
    expect(await starts([], '2024-03-05T02:00:00Z', '2024-03-06')).toEqual([])
  })

  test('a weekly event over midnight, seen from the day it ends', async () => {
    await given.data.add('events', [
      { event_id: 'v1', starts_at: '2024-03-04T22:00:00Z', ends_at: '2024-03-05T02:00:00Z', recurrence: WEEKLY },
    ])
    expect(values(await calendar('2024-03-19', '2024-03-20'), 'starts_at', 'ends_at')).toEqual([
      ['2024-03-18T22:00:00.000Z', '2024-03-19T02:00:00.000Z'],
    ])
  })

  test.each([
    [
      'weekly, from the first start on and not before',
      '2024-03-04',
      WEEKLY,
      '2024-02-01',
      '2024-03-20',
      ['2024-03-04', '2024-03-11', '2024-03-18'],
    ],
    [
      'monthly on the 31st: not in months that have none',
      '2023-12-31',
      MONTHLY,
      '2024-01-15',
      '2024-06-15',
      ['2024-01-31', '2024-03-31', '2024-05-31'],
    ],
    [
      'monthly on the 30th: not in February alone',
      '2024-01-30',
      MONTHLY,
      '2024-01-01',
      '2024-05-01',
      ['2024-01-30', '2024-03-30', '2024-04-30'],
    ],
    [
      'yearly on a leap day: in leap years alone',
      '2020-02-29',
      YEARLY,
      '2020-01-01',
      '2029-01-01',
      ['2020-02-29', '2024-02-29', '2028-02-29'],
    ],
    [
      'yearly, in a range that begins and ends within a year',
      '2001-11-05',
      YEARLY,
      '2023-06-01',
      '2025-06-01',
      ['2023-11-05', '2024-11-05'],
    ],
  ] as const)('%s', async (_, first, recurrence, from, to, expected) => {
    expect(await starts({ starts_at: `${first}T09:00:00Z`, recurrence }, from, to)).toEqual(expected)
  })

  test('daily since 2010: a week has seven, and only about as many are computed', async () => {
    const event = { starts_at: '2010-01-01T09:00:00Z', recurrence: DAILY }
    const days = ['04', '05', '06', '07', '08', '09', '10'].map((day) => `2024-03-${day}`)
    expect(await starts(event, '2024-03-04', '2024-03-11')).toEqual(days)
    const plan = await given.data.select(
      `EXPLAIN (ANALYZE, FORMAT JSON) SELECT * FROM SCHEMA.event_calendar('2024-03-04', '2024-03-11')`,
    )
    // inlined, so that the plan shows what is generated
    const generated = [...JSON.stringify(plan).matchAll(/generate_series.*?Actual Rows\\*":\s*(\d+)/g)].map(
      ([, rows]) => Number(rows),
    )
    expect(generated).toHaveLength(1)
    expect(generated[0]).toBeLessThan(10)
  })

  test('several listed starts of one event: none comes twice, and what is not listed is filled in', async () => {
    const listed = ['01', '02', '05'].map((day) => ({ starts_at: `2024-03-${day}T09:00:00Z`, recurrence: DAILY }))
    const days = ['01', '02', '03', '04', '05', '06'].map((day) => `2024-03-${day}`)
    expect(await starts(listed, '2024-03-01', '2024-03-07')).toEqual(days)
  })

  test('a listed start replaces its week: a moved one does not appear at its old time', async () => {
    // Mondays; the second was moved to the Wednesday
    const listed = ['2024-03-04', '2024-03-13', '2024-03-18'].map((day) => ({
      starts_at: `${day}T09:00:00Z`,
      recurrence: WEEKLY,
    }))
    expect(await starts(listed, '2024-03-01', '2024-03-30')).toEqual([
      '2024-03-04',
      '2024-03-13',
      '2024-03-18',
      '2024-03-25',
    ])
  })

  test('an event id in two projects is two events; deleted events are not shown', async () => {
    const event = { event_id: 'v1', starts_at: '2024-03-04T09:00:00Z', recurrence: 0 }
    await given.data.add('events', [
      event,
      { ...event, pid: 'p2' },
      { ...event, pid: 'p3', deleted_at: '2024-03-05T00:00:00Z' },
    ])
    expect(values(await calendar('2024-03-01', '2024-04-01'), 'pid')).toEqual([['p1'], ['p2']])
  })

  test('no end, an end before the start, a missing or unknown recurrence', async () => {
    const event = { starts_at: '2024-03-04T09:00:00Z' }
    await given.data.add('events', [
      { event_id: 'backwards', ...event, ends_at: '2024-03-04T08:00:00Z', recurrence: 0 },
      { event_id: 'endless', ...event },
      { event_id: 'unknown', ...event, recurrence: 9 },
    ])
    expect(values(await calendar('2024-03-04T09:00:00Z', '2024-04-01'), 'event_id', 'ends_at')).toEqual([
      ['backwards', '2024-03-04T08:00:00.000Z'],
      ['endless', null],
      ['unknown', null],
    ])
  })

  test('the time of day stays the same in UTC in every time zone of the session', async () => {
    await given.data.atOneMoment(async (data) => {
      await data.add('events', [{ event_id: 'v1', starts_at: '2024-03-30T09:00:00Z', recurrence: DAILY }])
      // summer time begins there on 31 March
      await data.select(`SELECT set_config('TimeZone', 'Europe/Berlin', true)`)
      const rows = await data.select(
        `SELECT (starts_at AT TIME ZONE 'UTC')::text AS starts
         FROM SCHEMA.event_calendar('2024-03-30T00:00:00Z', '2024-04-01T00:00:00Z') ORDER BY starts_at`,
      )
      expect(values(rows, 'starts')).toEqual([['2024-03-30 09:00:00'], ['2024-03-31 09:00:00']])
    })
  })

  test('the view: a year back and a year ahead', async () => {
    await given.data.atOneMoment(async (data, now) => {
      const time = (days: number) => new Date(now.getTime() + days * 86_400_000).toISOString()
      await data.add('events', [
        { event_id: 'before', starts_at: time(-370) },
        { event_id: 'within', starts_at: time(-360) },
        { event_id: 'ahead', starts_at: time(360) },
        { event_id: 'after', starts_at: time(370) },
      ])
      expect(await data.read('event_calendar ORDER BY starts_at', 'event_id')).toEqual([['within'], ['ahead']])
    })
  })
})
