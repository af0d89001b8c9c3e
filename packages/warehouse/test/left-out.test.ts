import { times } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { TABLES } from '../src/tables/index.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type Backend, onBackendsInTurn } from './support/backends.ts'
import { everything } from './support/everything.ts'
import { leaveOut } from './support/left-out.ts'
import { archivedTask, page, project, task, user } from './support/records.ts'
import {
  batch,
  compared,
  inRun,
  live,
  liveColumn,
  NO_LIMITS,
  publishIn,
  type Streams,
  snapshot,
  streamOf,
} from './support/snapshot.ts'

/** More fields than any resource has. */
const MOST_FIELDS = 20

async function stored({ driver }: Backend, { schema }: Warehouse): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {}
  for (const { name } of TABLES) {
    for (const table of [`${schema}.${name}`, `${schema}_history.${name}`]) {
      const { rows } = await driver.query(`SELECT (to_jsonb(t) - 'record_hash')::text FROM ${table} t ORDER BY 1`)
      found[table.slice(schema.length)] = rows.map(([row]) => row)
    }
  }
  return found
}

async function differences(warehouse: Warehouse, streams: Streams): Promise<string[]> {
  const scopes = await compared(warehouse, streams)
  return scopes.flatMap((scope) => scope.differences.map(({ table, kind, columns }) => `${table} ${kind} ${columns}`))
}

onBackendsInTurn('fields that the service left out', (backend) => {
  test('leaving out all fields of every record changes no row and no version', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const before = await stored(backend, warehouse)
    const night = leaveOut(everything(), () => true)
    expect(await differences(warehouse, night)).toEqual([])
    await snapshot(warehouse, night)
    expect(await stored(backend, warehouse)).toEqual(before)
    await snapshot(warehouse, everything())
    expect(await stored(backend, warehouse)).toEqual(before)
  })

  test('leaving out any single field changes no row and no version', { tags: 'thorough' }, async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, everything())
    const before = await stored(backend, warehouse)
    for (let field = 0; field < MOST_FIELDS; field += times(6, 1)) {
      await snapshot(
        warehouse,
        leaveOut(everything(), (index) => index === field),
      )
      expect(await stored(backend, warehouse), `field ${field}`).toEqual(before)
    }
  })

  test('changes beside a left-out field are stored', async () => {
    const warehouse = await backend.warehouse()
    const pages = (fields: Parameters<typeof page>[1], kind?: 'left_out' | 'missing'): Streams => {
      const losses = kind && [{ recordKey: 'g1', field: 'content', kind, original: kind === 'missing' ? 'null' : null }]
      return { pages: { batches: [batch('page', [page('g1', fields)], losses)] } }
    }
    await snapshot(warehouse, pages({ content: '# Old' }))
    await snapshot(warehouse, pages({ name: 'New', content: null }, 'left_out'))
    expect(await live(warehouse, 'pages', ['name', 'content'])).toEqual([{ name: 'New', content: '# Old' }])
    await snapshot(warehouse, pages({ name: 'New', content: null }, 'missing'))
    expect(await live(warehouse, 'pages', ['name', 'content'])).toEqual([{ name: 'New', content: null }])
  })

  test('a value that cannot be read keeps the stored one and is no difference', async () => {
    const warehouse = await backend.warehouse()
    await snapshot(warehouse, { pages: { batches: [batch('page', [page('g1', { content: '# Old' })])] } })
    const before = await stored(backend, warehouse)
    const losses = ['content', 'owner'].map((field) => {
      return { recordKey: 'g1', field, kind: 'unreadable', original: '{"a":1}' } as const
    })
    const night: Streams = { pages: { batches: [batch('page', [page('g1', { content: null, owner: null })], losses)] } }
    expect(await differences(warehouse, night)).toEqual([])
    await snapshot(warehouse, night)
    const without = (tables: Record<string, unknown>) => ({ ...tables, losses: null })
    expect(without(await stored(backend, warehouse))).toEqual(without(before))
  })

  test('fields of list elements and of users that are left out keep their values', async () => {
    const warehouse = await backend.warehouse()
    const todo = { todo_id: 'd1', name: 'first', checked: 1, pos: 0.5 } as const
    const tasks = (members: Parameters<typeof user>[1], pos: number | null, isLeftOut: boolean): Streams => {
      const losses = ['todos[0].pos', 'members[0].avatar'].map((field) => {
        return { recordKey: 't1', field, kind: 'left_out', original: null } as const
      })
      const record = task('t1', { todos: [{ ...todo, pos }], members: [user('u1', members)] })
      return {
        tasks: { batches: [batch('task', [record], isLeftOut ? losses : [])] },
        archived_tasks: { batches: [batch('archived_task', [])] },
      }
    }
    await snapshot(warehouse, tasks({ avatar: 'me.png' }, 0.5, false))
    await snapshot(warehouse, tasks({ avatar: null }, null, true))
    expect(await live(warehouse, 'task_todos', ['todo_id', 'position'])).toEqual([{ todo_id: 'd1', position: 0.5 }])
    expect(await live(warehouse, 'users', ['uid', 'avatar'])).toEqual([{ uid: 'u1', avatar: 'me.png' }])
  })

  test('a task keeps its time of completion if the archive leaves out whether it is completed', async () => {
    const warehouse = await backend.warehouse()
    const of = (list: Streams): Streams => ({
      tasks: streamOf('task', []),
      archived_tasks: streamOf('archived_task', []),
      ...list,
    })
    const lost = (field: string) => ({ recordKey: 't1', field, kind: 'left_out', original: null }) as const
    const listed = (fields: Parameters<typeof task>[1], ...losses: string[]) =>
      of({ tasks: { batches: [batch('task', [task('t1', { pos: 7, ...fields })], losses.map(lost))] } })
    const archived = (completed: 1 | null, ...losses: string[]) =>
      of({
        archived_tasks: { batches: [batch('archived_task', [archivedTask('t1', { completed })], losses.map(lost))] },
      })
    const done = { completed: 1, completed_date: '2023-12-12T00:00:00.000Z' } as const
    const times = () => liveColumn(warehouse, 'tasks', 'completed_at')
    await snapshot(warehouse, listed(done))
    await snapshot(warehouse, archived(null, 'completed'))
    expect(await live(warehouse, 'tasks', ['completed', 'completed_at', 'archived'])).toEqual([
      { completed: true, completed_at: done.completed_date, archived: true },
    ])
    await snapshot(warehouse, of({}), { limits: NO_LIMITS })
    expect(await times()).toEqual([])
    await snapshot(warehouse, archived(1))
    expect(await times()).toEqual([done.completed_date])
    await snapshot(warehouse, listed({ completed: 0, completed_date: null }, 'completed_date'))
    expect(await times()).toEqual([null])
  })

  test('a project that left the list and can be read keeps what only the list shows', async () => {
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
