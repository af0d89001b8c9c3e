import { describe, expect, test } from 'vitest'
import type { RecordBatch } from '../src/operations/results.ts'
import { collect, collectUpTo, fingerprint, latestOf } from '../src/walk/collect.ts'

const loss = (recordKey: string) => ({ recordKey, field: 'name', kind: 'missing' as const, original: null })
const batch = (numbers: number[], restart = false): RecordBatch<number> => ({
  records: numbers,
  losses: numbers.map((number) => loss(String(number))),
  restart,
})

/** Emits batches one by one; `taken` counts the requested ones. */
function batches(...all: RecordBatch<number>[]) {
  const asked = { taken: 0 }
  const generate = async function* () {
    for (const one of all) {
      asked.taken += 1
      yield one
    }
  }
  return { asked, batches: generate() }
}

describe('an answer that is collected', () => {
  test('is everything that was emitted, in order', async () => {
    const { batches: given } = batches(batch([1, 2]), batch([3]))
    expect(await collect(given)).toEqual({ records: [1, 2, 3], losses: [loss('1'), loss('2'), loss('3')] })
  })

  test('is what the last attempt emitted, if an earlier one broke', async () => {
    const { batches: given } = batches(batch([1, 2]), batch([3], true), batch([4]))
    expect(await collect(given)).toEqual({ records: [3, 4], losses: [loss('3'), loss('4')] })
  })

  test('up to a limit: as many are complete, one more is aborted at once', async () => {
    const whole = batches(batch([1, 2]), batch([3]))
    expect(await collectUpTo(whole.batches, 3)).toEqual({ records: [1, 2, 3], losses: expect.any(Array) })
    const more = batches(batch([1, 2]), batch([3, 4]), batch([5]))
    expect(await collectUpTo(more.batches, 3)).toBe(null)
    expect(more.asked.taken).toBe(2)
  })
})

describe('records of one key', () => {
  const keyOf = ({ id }: { id: string }) => id

  test('that are the same are one, and no loss', () => {
    const { latest, losses } = latestOf([{ id: 'a' }, { id: 'b' }, { id: 'a' }], keyOf)
    expect([...latest.keys()]).toEqual(['a', 'b'])
    expect(losses).toEqual([])
  })

  test('that differ: the later one, and the earlier one as a loss', () => {
    const { latest, losses } = latestOf(
      [
        { id: 'a', name: 'old' },
        { id: 'a', name: 'new' },
      ],
      keyOf,
    )
    expect([...latest.values()]).toEqual([{ id: 'a', name: 'new' }])
    expect(losses).toEqual([{ recordKey: 'a', field: '', kind: 'duplicate', original: '{"id":"a","name":"old"}' }])
  })
})

test('a fingerprint takes the space of one number, and differs where a record does', () => {
  const all = Array.from({ length: 1000 }, (_, id) => fingerprint({ id }))
  expect(new Set(all).size).toBe(1000)
  for (const one of all) expect(Number.isSafeInteger(one) && one >= 0 && one < 2 ** 48).toBe(true)
  expect(Math.max(...all)).toBeGreaterThan(2 ** 47)
})
