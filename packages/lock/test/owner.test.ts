import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatOwner, parseOwner, thisOwner } from '../src/owner.ts'

test('parses the record that it formats', async () => {
  const owner = { ...(await thisOwner()), osLock: true }
  expect(parseOwner(formatOwner(owner).toString())).toEqual(owner)
  expect(formatOwner(owner)).toHaveLength(1024)
})

test('parses a record of an earlier version', () => {
  expect(parseOwner('{"pid":12,"host":"db1"}')).toMatchObject({ pid: 12, host: 'db1', boot: '', osLock: false })
})

test('returns null for any other text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const owner = parseOwner(text)
      if (owner !== null) expect(owner).toMatchObject({ pid: expect.any(Number), host: expect.any(String) })
    }),
  )
})
