import { readdir } from 'node:fs/promises'
import type { StoredText } from '@collab-etl/documents'
import { scratch } from '@collab-etl/harness/scratch'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { GatheredLines } from '../src/backup/gathered-lines.ts'
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
      await using file = await TextFile.open(folder)
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

test('gathered lines come in order, however long they are, and are counted', () => {
  const line = fc.tuple(fc.constantFrom(0, 1, 40_000, 65_536, 70_000), fc.boolean())
  fc.assert(
    fc.property(fc.array(line, { maxLength: 20 }), (lines) => {
      const gathered = new GatheredLines()
      const texts = lines.map(([length], index) => `${index}${'ü'.repeat(length)}\n`)
      for (const [index, text] of texts.entries()) {
        if (lines[index]?.[1]) gathered.add(text)
        else gathered.add(Buffer.from(text), 3)
      }
      expect(Buffer.concat([...gathered.pieces()]).toString()).toBe(texts.join(''))
      expect(gathered.count).toBe(lines.reduce((sum, [, isText]) => sum + (isText ? 1 : 3), 0))
    }),
    { numRuns: 50 },
  )
})
