import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Warehouse } from '../src/warehouse.ts'
import { onBackendsInTurn } from './support/backends.ts'
import { page, user } from './support/records.ts'
import { batch, inRun, live, publishIn } from './support/snapshot.ts'

const PIDS = ['p0', 'p1', 'p2'] as const

/** A copy of the user, column by column. */
type Copy = Readonly<Record<'name' | 'display_name' | 'avatar', string | null>>

/** What a project shows of the user in one run; `null`: the project is not read. */
interface Reading {
  readonly copies: readonly Copy[]
  readonly isWhole: boolean
}
type Night = Readonly<Record<(typeof PIDS)[number], Reading | null>>

const value = fc.constantFrom('a', 'b', null)
const copy: fc.Arbitrary<Copy> = fc.record({ name: value, display_name: value, avatar: value })
const reading = fc.record({
  copies: fc.array(copy, { maxLength: 2 }),
  isWhole: fc.boolean(),
})
const night: fc.Arbitrary<Night> = fc.record({
  p0: fc.option(reading),
  p1: fc.option(reading),
  p2: fc.option(reading),
})

const COLUMNS = ['name', 'display_name', 'avatar'] as const
const valuesOf = (copy: Copy) => COLUMNS.filter((column) => copy[column] !== null).length

/** Two projects show the same copy; the next night, one of them shows another. */
const ONE_COPY_IN_TWO_PROJECTS: readonly Night[] = [
  {
    p0: { copies: [{ name: 'a', display_name: null, avatar: 'a' }], isWhole: false },
    p1: null,
    p2: { copies: [{ name: 'a', display_name: null, avatar: 'a' }], isWhole: false },
  },
  { p0: null, p1: null, p2: { copies: [{ name: null, display_name: 'a', avatar: 'a' }], isWhole: true } },
]

/** The stored user after each night. */
async function storedAfter(
  warehouse: Warehouse,
  nights: readonly Night[],
  order: readonly (typeof PIDS)[number][],
): Promise<(Copy | undefined)[]> {
  const stored: (Copy | undefined)[] = []
  for (const each of nights) {
    await inRun(warehouse, async (run) => {
      for (const pid of order) {
        const of = each[pid]
        if (of === null) continue
        const pages = of.copies.map((shown, index) => page(`${pid}-${index}`, { owner: user('u', shown) }))
        const status = of.isWhole ? 'complete' : 'drifted'
        await publishIn(run, pid, { pages: { batches: [batch('page', pages)], status } })
      }
    })
    const [row] = await live(warehouse, 'users', [...COLUMNS])
    stored.push(row as Copy | undefined) // the columns above
  }
  return stored
}

/**
 * Whether a project that showed the copy was read whole, and shows the user without it. A reading that was not whole does not say that the
 * project shows the copy no more.
 */
function isEmptied(copy: Copy, before: readonly Night[], tonight: Night): boolean {
  const shows = ({ copies }: Reading) => copies.some((each) => COLUMNS.every((column) => each[column] === copy[column]))
  const isWhole = (reading: Reading) => reading.isWhole && reading.copies.length > 0
  return PIDS.some((pid) => {
    const readings = before.flatMap((each) => each[pid] ?? [])
    const [last, now] = [readings.findLast((each) => isWhole(each) || shows(each)), tonight[pid]]
    return last !== undefined && shows(last) && now !== null && isWhole(now) && !shows(now)
  })
}

onBackendsInTurn('users', (backend) => {
  test('projects in any order give the same users, and no other place empties a value', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(night, { minLength: 2, maxLength: 5 }), async (nights) => {
        const stored = await storedAfter(await backend.warehouse(), nights, PIDS)
        expect(await storedAfter(await backend.warehouse(), nights, PIDS.toReversed())).toEqual(stored)
        for (const [index, now] of stored.entries()) {
          const [before, tonight] = [stored[index - 1], nights[index]]
          if (before === undefined || now === undefined || tonight === undefined) continue
          const isLost = COLUMNS.some((column) => before[column] !== null && now[column] === null)
          if (!isLost || valuesOf(now) > valuesOf(before)) continue
          expect(isEmptied(before, nights.slice(0, index), tonight), `night ${index}: ${JSON.stringify(before)}`).toBe(
            true,
          )
        }
      }),
      { numRuns: times(1, 60), examples: [[ONE_COPY_IN_TWO_PROJECTS]] },
    )
  })
})
