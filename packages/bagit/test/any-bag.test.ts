import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BagWriter, verifyBag } from '../src/index.ts'

/** Texts of lengths around those of the buffers that they go through, some with lone surrogates. */
const piece = fc
  .tuple(fc.constantFrom(0, 2, 3000, 65_534, 65_536, 65_538, 300_000, 1_100_000), fc.constantFrom('a', 'ü', '\ud800'))
  .map(([length, unit]) => unit.repeat(length / 2))

/** Files that are added at once, and those that are written in pieces. */
const files = fc.array(fc.oneof(piece, fc.array(piece, { maxLength: 4 })), { maxLength: 14 })

test('a bag holds every byte of each file, in the order in which they were added', async () => {
  const folder = await scratch()
  let count = 0
  await fc.assert(
    fc.asyncProperty(files, async (all) => {
      const path = join(folder, String(count++))
      await mkdir(path)
      const bag = await BagWriter.create(path)
      for (const [index, content] of all.entries()) {
        if (typeof content === 'string') {
          await bag.add(`${index % 3}/${index}`, content)
          continue
        }
        const stream = await bag.stream(`${index % 3}/${index}`)
        for (const each of content) await stream.write(each)
        await stream.end()
      }
      await bag.finish(({ bytes, files }) => [['Payload-Oxum', `${bytes}.${files}`]])
      expect((await verifyBag(path, { fast: false })).damage).toEqual([])
      const manifest = await readFile(join(path, 'manifest-sha256.txt'), 'utf8')
      expect(manifest.match(/(?<=\/)\d+$/gm) ?? []).toEqual(all.map((_, index) => String(index)))
      for (const [index, content] of all.entries()) {
        const pieces = typeof content === 'string' ? [content] : content
        const wanted = Buffer.concat(pieces.map((each) => Buffer.from(each)))
        const found = await readFile(join(path, `data/${index % 3}/${index}`))
        expect(found.equals(wanted), String(index)).toBe(true)
      }
    }),
    { numRuns: 30 },
  )
})
