import type { RecordKinds } from '@collab-etl/contract/streams'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { RANGE, START } from './support/everything.ts'
import { archivedTask, event, project, task, user } from './support/records.ts'
import { batch, compared, live, type Streams, snapshot } from './support/snapshot.ts'

type Fields = Partial<RecordKinds['archived_task']>

const at = (day: number) => `2024-01-0${day}T00:00:00.000Z`

function named(tid: string, entry_name: string, day: number, fields: Fields = {}): readonly [string, Fields] {
  return [tid, { entry_name, updated_at: at(day), members: [user('u1')], ...fields }]
}

function night(listed: (readonly [string, Fields])[], archived: (readonly [string, Fields])[] = []): Streams {
  return {
    projects: { batches: [batch('project', [project('p1', { name: 'Project 1' })])] },
    tasks: {
      batches: [
        batch(
          'task',
          listed.map(([tid, fields]) => task(tid, fields)),
        ),
      ],
    },
    archived_tasks: {
      batches: [
        batch(
          'archived_task',
          archived.map(([tid, fields]) => archivedTask(tid, fields)),
        ),
      ],
    },
  }
}

async function expectStored(warehouse: Warehouse, entry: string, extras: Record<string, unknown>): Promise<void> {
  expect(await live(warehouse, 'entries', ['name'])).toEqual([{ name: entry }])
  const rows = await live(warehouse, 'tasks', ['tid', 'extra'])
  expect(Object.fromEntries(rows.map(({ tid, extra }) => [tid, extra]))).toEqual(extras)
  expect(await live(warehouse, 'task_members', ['tid'])).toHaveLength(rows.length)
}

/** The same answers again change nothing, and differ in nothing. */
async function expectSettled(warehouse: Warehouse, streams: Streams): Promise<void> {
  const { tables } = await snapshot(warehouse, streams)
  const changes = Object.entries(tables).filter(
    ([, { inserted, updated, deleted }]) => inserted + updated + deleted > 0,
  )
  expect(changes).toEqual([])
  const scopes = await compared(warehouse, streams)
  expect(scopes.flatMap(({ differences }) => differences)).toEqual([])
}

onBackendsInTurn('names that records show of their group and project', (backend) => {
  test('the group has the name of the task updated last; others keep theirs in extra', async () => {
    const warehouse = await backend.warehouse()
    const nights: (readonly [Streams, string, Record<string, unknown>])[] = [
      [night([named('t1', 'A', 1), named('t2', 'A', 1)], [named('t3', 'A', 1)]), 'A', { t1: null, t2: null, t3: null }],
      // the first task shows another name, and nothing else of it changed
      [
        night([named('t1', 'B', 1), named('t2', 'A', 2)], [named('t3', 'A', 1)]),
        'A',
        { t1: { entry_name: 'B' }, t2: null, t3: null },
      ],
      [
        night([named('t1', 'B', 3), named('t2', 'A', 2)], [named('t3', 'A', 1)]),
        'B',
        { t1: null, t2: { entry_name: 'A' }, t3: { entry_name: 'A' } },
      ],
      [
        night([named('t2', 'A', 2), named('t1', 'B', 3)], [named('t3', 'A', 1)]),
        'B',
        { t1: null, t2: { entry_name: 'A' }, t3: { entry_name: 'A' } },
      ],
      [
        night([named('t1', 'B', 3), named('t2', 'B', 2)], [named('t3', 'A', 1)]),
        'B',
        { t1: null, t2: null, t3: { entry_name: 'A' } },
      ],
      [night([named('t1', 'B', 3), named('t2', 'B', 2)], [named('t3', 'B', 1)]), 'B', { t1: null, t2: null, t3: null }],
    ]
    for (const [streams, entry, extras] of nights) {
      await snapshot(warehouse, streams)
      await expectStored(warehouse, entry, extras)
      await expectSettled(warehouse, streams)
    }
  })

  testThoroughly('project fields that differ from the project itself are in extra', async () => {
    const warehouse = await backend.warehouse()
    const shown = (name: string) => ({ project: { pid: 'p1', name, pic: 'p.png', bg: 'blue' } })
    const nights: (readonly [string, string, unknown, unknown])[] = [
      ['Project 1', 'Project 1', null, null],
      ['Old', 'Project 1', { project: { name: 'Old' } }, null],
      ['Project 1', 'Old', null, { project: { name: 'Old' } }],
      ['Project 1', 'Project 1', null, null],
    ]
    for (const [first, second, ofFirst, ofSecond] of nights) {
      const streams = {
        ...night([named('t1', 'A', 1, shown(first)), named('t2', 'A', 1, shown(second))]),
        events: {
          batches: [batch('event', [event('v1', START, shown(first)), event('v2', START, shown(second))])],
          range: RANGE,
        },
      }
      await snapshot(warehouse, streams)
      await expectStored(warehouse, 'A', { t1: ofFirst, t2: ofSecond })
      expect((await live(warehouse, 'events', ['extra'])).map(({ extra }) => extra)).toEqual([ofFirst, ofSecond])
      await expectSettled(warehouse, streams)
    }
  })

  test('names with characters that cannot be stored are settled as they are stored', async () => {
    const warehouse = await backend.warehouse()
    const streams = night([named('t1', 'A\0', 1), named('t2', 'B\ud800', 2)])
    await snapshot(warehouse, streams)
    await expectStored(warehouse, 'B\ufffd', { t1: { entry_name: 'A\ufffd' }, t2: null })
    await expectSettled(warehouse, streams)
  })
})
