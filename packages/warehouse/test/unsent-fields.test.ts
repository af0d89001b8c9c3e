import type { RecordKinds } from '@collab-etl/contract/streams'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'
import { archivedTask, project, task } from './support/records.ts'
import { batch, compared, inRun, live, publishIn, type Streams, snapshot } from './support/snapshot.ts'

type Listed = Partial<RecordKinds['task']>
type Archived = Partial<RecordKinds['archived_task']>

const FIRST = '2023-12-12T00:00:00.000Z'
const DONE: Listed = { completed: 1, completed_date: FIRST, pos: 7 }

function listed(fields: Listed, ...losses: string[]): Streams {
  return {
    tasks: { batches: [batch('task', [task('t1', fields)], losses.map(leftOut))] },
    archived_tasks: { batches: [batch('archived_task', [])] },
  }
}

function archived(fields: Archived, ...losses: string[]): Streams {
  return {
    tasks: { batches: [batch('task', [])] },
    archived_tasks: { batches: [batch('archived_task', [archivedTask('t1', fields)], losses.map(leftOut))] },
  }
}

const leftOut = (field: string) => ({ recordKey: 't1', field, kind: 'left_out', original: null }) as const

async function stored(warehouse: Warehouse): Promise<unknown[]> {
  const rows = await live(warehouse, 'tasks', ['completed', 'completed_at', 'position', 'archived'])
  return rows.flatMap(({ completed, completed_at: at, position, archived: isArchived }) => [
    `${completed ? 'completed' : 'open'} ${at} at ${position}${isArchived ? ', archived' : ''}`,
  ])
}

/** How many versions each table holds, superseded ones included. */
async function _versions({ driver }: Backend, { schema }: Warehouse): Promise<number> {
  const { rows } = await driver.query(
    `SELECT (SELECT count(*) FROM ${schema}.tasks) + (SELECT count(*) FROM ${schema}_history.tasks)`,
  )
  return Number(rows[0]?.[0])
}

async function _expectSame(warehouse: Warehouse, streams: Streams): Promise<void> {
  const scopes = await compared(warehouse, streams)
  expect(scopes.flatMap(({ differences }) => differences)).toEqual([])
  expect(scopes.map(({ stored: before, contentHash }) => before?.contentHash === contentHash)).toEqual([true, true])
}

onBackendsInTurn('a completed task that is archived', (backend) => {
  test('keeps its time when the archive leaves out whether it is completed, and after a deletion', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, listed(DONE))
    await snapshot(warehouse, archived({ completed: null }, 'completed'))
    expect(await stored(warehouse)).toEqual([`completed ${FIRST} at null, archived`])
    const none: Streams = { tasks: { batches: [batch('task', [])] }, archived_tasks: { batches: [] } }
    await snapshot(warehouse, none, { limits: { maxShrink: 1, allowShrink: true } })
    expect(await stored(warehouse)).toEqual([])
    await snapshot(warehouse, archived({ completed: 1 }))
    expect(await stored(warehouse)).toEqual([`completed ${FIRST} at null, archived`])
  })

  test('a reopened task has no completion time though the list leaves it out', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, listed(DONE))
    await snapshot(warehouse, listed({ completed: 0, completed_date: null, pos: 7 }, 'completed_date'))
    expect(await stored(warehouse)).toEqual(['open null at 7'])
  })
})

onBackendsInTurn('a project that left the list and can be read', (backend) => {
  test('keeps what only the list shows', async () => {
    const warehouse = await backend.warehouse()
    const columns = ['is_starred', 'position', 'member_count', 'curr_role', 'permission', 'created_by_uid']
    const read = (of: Parameters<typeof project>[2]): Streams => {
      return { projects: { batches: [batch('project', [project('p1', {}, of)])] } }
    }
    await snapshot(warehouse, read({}))
    const before = await live(warehouse, 'projects', columns)
    expect(await compared(warehouse, read(null))).toMatchObject([{ differences: [] }])
    await snapshot(warehouse, read(null))
    expect(await live(warehouse, 'projects', columns)).toEqual(before)
    await inRun(warehouse, (run) => publishIn(run, 'p1', read({ member_count: 4 })))
    expect(await live(warehouse, 'projects', ['member_count'])).toEqual([{ member_count: 4 }])
  })
})
