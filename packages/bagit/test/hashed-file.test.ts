import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { HashedFile } from '../src/hashed-file.ts'

/** Texts and bytes of lengths around that of the buffer in which they are gathered. */
const piece = fc
  .tuple(fc.constantFrom(0, 1, 3000, 65_535, 65_536, 65_537, 200_000), fc.nat(255), fc.boolean())
  .map(([length, byte, isText]) => (isText ? 'ü'.repeat(length / 2) : Buffer.alloc(length, byte)))

test('a file has all pieces in order, and their digest, however long they are', async () => {
  const folder = await scratch()
  let files = 0
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
      files += 1
      const path = join(folder, `file-${files}`)
      const file = await HashedFile.create(path)
      for (const each of pieces) {
        const given = typeof each === 'string' ? each : Buffer.from(each)
        await file.write(given)
        // The caller may use the bytes again.
        if (typeof given !== 'string') given.fill(0)
      }
      const expected = Buffer.concat(pieces.map((each) => Buffer.from(each)))
      const sha256 = createHash('sha256').update(expected).digest('hex')
      expect(await file.end()).toEqual({ bytes: expected.length, sha256 })
      expect((await readFile(path)).equals(expected)).toBe(true)
    }),
    { numRuns: 40 },
  )
})
