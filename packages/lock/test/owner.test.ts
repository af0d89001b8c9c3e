import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatOwner, parseOwner, thisOwner } from '../src/owner.ts'

test('an owner that is written is read again', async () => {
  const owner = { ...(await thisOwner()), osLock: true }
  expect(parseOwner(formatOwner(owner).toString())).toEqual(owner)
  expect(formatOwner(owner)).toHaveLength(1024)
})

test('a record of an earlier version names process and host', () => {
  expect(parseOwner('{"pid":12,"host":"db1"}')).toMatchObject({ pid: 12, host: 'db1', boot: '', osLock: false })
})

test('any other text is no owner, and never an error', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
      const owner = parseOwner(text)
      if (owner !== null) expect(owner).toMatchObject({ pid: expect.any(Number), host: expect.any(String) })
    }),
  )
})
