import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { onBackendsInTurn } from './support/backends.ts'
import { page, task, user } from './support/records.ts'
import { batch, compared, NO_LIMITS, type Streams, snapshot } from './support/snapshot.ts'

const COUNT = 60

/** A change of one task in a night: it gets a new name or longer lists, loses its lists, is gone, comes back, or comes twice. */
const change = fc.record({
  place: fc.nat(COUNT - 1),
  what: fc.constantFrom('rename', 'lists', 'empty', 'gone', 'back', 'twice'),
})

interface Held {
  version: number
  lists: number
  isGone: boolean
}

function streamsOf(all: readonly Held[], twice: ReadonlySet<number>): Streams {
  const tasks = all.flatMap(({ version, lists, isGone }, place) => {
    if (isGone) return []
    const tid = `t${place}`
    const labels = Array.from({ length: lists }, (_, index) => ({ name: `l${index}`, desc: `${version}` }))
    const todos = labels.map(({ name }) => ({ todo_id: name, name, checked: 0 as const, pos: 1 }))
    const members = labels.map(({ name }) => user(name))
    const now = task(tid, { name: `v${version}`, labels, todos, members })
    return twice.has(place) ? [task(tid, { name: 'earlier', labels: [], todos, members }), now] : [now]
  })
  return {
    tasks: { batches: [batch('task', tasks)] },
    archived_tasks: { batches: [batch('archived_task', [])] },
    pages: {
      batches: [
        batch(
          'page',
          all.map(({ version }, place) => page(`g${place}`, { name: `v${version}` })),
        ),
      ],
    },
  }
}

onBackendsInTurn('few changed records among many', (backend) => {
  test('are stored with their lists, and no other row is touched', { tags: 'thorough', timeout: 240_000 }, async () => {
    const nights = fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { minLength: 2, maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(nights, async (changes) => {
        const warehouse = await backend.warehouse()
        const all: Held[] = Array.from({ length: COUNT }, (_, n) => ({ version: 0, lists: n % 3, isGone: false }))
        await snapshot(warehouse, streamsOf(all, new Set()), { limits: NO_LIMITS })
        for (const night of changes) {
          const twice = new Set<number>()
          for (const { place, what } of night) {
            const held = all[place]
            if (held === undefined) continue
            if (what === 'rename') held.version += 1
            if (what === 'lists') held.lists += 1
            if (what === 'empty') held.lists = 0
            if (what === 'twice') twice.add(place)
            if (what === 'gone' || what === 'back') held.isGone = what === 'gone'
          }
          const before = await rowsOf('tasks', warehouse.schema)
          const { scopes } = await snapshot(warehouse, streamsOf(all, twice), { limits: NO_LIMITS })
          expect(scopes.map(({ status }) => status)).toEqual(scopes.map(() => 'complete'))
          const differing = (await compared(warehouse, streamsOf(all, new Set()))).flatMap((each) => each.differences)
          expect(differing).toEqual([])
          const touched = (await rowsOf('tasks', warehouse.schema)).filter((row) => !before.includes(row))
          expect(touched.length).toBeLessThanOrEqual(night.length)
        }
      }),
      { numRuns: times(1, 40) },
    )
  })

  async function rowsOf(table: string, schema: string): Promise<string[]> {
    const { rows } = await backend.driver.query(`SELECT to_jsonb(t)::text FROM ${schema}.${table} t`)
    return rows.map(String)
  }
})
