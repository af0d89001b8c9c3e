import { readdir } from 'node:fs/promises'
import type { StoredText } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextFile } from '../src/backup/text-file.ts'

/** Texts of lengths around that of the buffer, with lone surrogates at both ends, and whether they are read at once. */
const steps = fc.array(
  fc.tuple(fc.constantFrom('', 'a', '\ud800', '\udc00ü'), fc.constantFrom(0, 1, 9000, 262_144, 300_000), fc.boolean()),
  { maxLength: 25 },
)

test('texts in a temporary file are read as they were added, and the file is removed', async () => {
  const folder = await scratch()
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      using file = new TextFile(folder)
      const stored: [text: string, at: StoredText][] = []
      for (const [edge, length, isRead] of all) {
        const text = `${edge}${'x'.repeat(length)}${edge}`
        const added = file.add(text)
        stored.push([text, await added])
        if (isRead) expect(await file.read(await added)).toBe(text.toWellFormed())
      }
      for (const [text, at] of stored) expect(await file.read(at)).toBe(text.toWellFormed())
    }),
    { numRuns: 30 },
  )
  expect(await readdir(folder)).toEqual([])
})
