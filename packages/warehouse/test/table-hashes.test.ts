import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TableSums } from '../src/rows/table-hashes.ts'

const UID = { uid: 'u1', name: 'Ann', display_name: null, extra: null }

function sumOf(...rows: readonly Record<string, unknown>[]) {
  const sums = new TableSums()
  for (const row of rows) sums.add('users', row)
  return sums.of(['users'])
}

describe('the hash of a table', () => {
  test('is the same for rows in any order and for sums of any parts of them', () => {
    const rows = fc.array(
      fc.record({ uid: fc.string(), name: fc.option(fc.string()), extra: fc.dictionary(fc.string(), fc.integer()) }),
    )
    fc.assert(
      fc.property(rows, fc.nat(), (all, at) => {
        const whole = sumOf(...all)
        expect(sumOf(...all.toReversed())).toEqual(whole)
        const parts = new TableSums()
        const cut = at % (all.length + 1)
        parts.addAll(sumOf(...all.slice(cut)))
        parts.addAll(sumOf(...all.slice(0, cut)))
        expect(parts.of(['users'])).toEqual(whole)
      }),
    )
  })

  test.each([
    ['a value', { name: 'Bob' }],
    ['NULL for an empty text', { display_name: '' }],
    ['a value in another column', { name: null, display_name: 'Ann' }],
    ['an unknown field', { extra: { title: 'Dr' } }],
  ])('changes with %s', (_what, change) => {
    expect(sumOf({ ...UID, ...change })).not.toEqual(sumOf(UID))
  })

  test('does not depend on bookkeeping, presence, or the order of unknown fields', () => {
    const extra = { a: 1, b: [2] }
    expect(sumOf({ ...UID, extra: { b: [2], a: 1 }, online: 1, valid_from: 'now', row_version: '7' })).toEqual(
      sumOf({ ...UID, extra }),
    )
  })

  test('counts a row that comes twice as two', () => {
    expect(sumOf(UID, UID)).not.toEqual(sumOf(UID))
    expect(sumOf(UID, UID)['users']?.rows).toBe(2)
  })

  test('leaves out personal webhooks, which no backup holds', () => {
    const sums = new TableSums()
    sums.add('webhooks', { wid: 'w1', pid: 'p1', type: 1 })
    expect(sums.of(['webhooks'])).toEqual({ webhooks: { rows: 0, hash: '0'.repeat(64) } })
  })
})
