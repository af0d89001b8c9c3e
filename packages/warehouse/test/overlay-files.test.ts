import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { rounds } from '@collab-etl/harness/thorough'
import { THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OverlayFiles } from '../src/serve/overlay-files.ts'

/** Around the bounds of blocks of 8,192 bytes. */
const place = fc.oneof(fc.nat(40_000), fc.constantFrom(0, 8191, 8192, 8193, 16_384, 24_576))

const step = fc.oneof(
  fc.record({
    kind: fc.constant('write' as const),
    at: place,
    length: fc.oneof(fc.nat(100), place),
    byte: fc.nat(255),
  }),
  fc.record({ kind: fc.constant('truncate' as const), at: place }),
  fc.record({ kind: fc.constant('reopen' as const), at: place }),
  fc.record({ kind: fc.constant('replace' as const), at: place }),
)

test('a file reads as it was written, and the file below stays as it was', { tags: THOROUGH_TAG }, async () => {
  await using scratch = await scratchDirectory()
  const below = Buffer.from(Array.from({ length: 20_000 }, (_, at) => at % 251))
  writeFileSync(`${scratch.path}/file`, below)
  let spills = 0
  await using directory = await scratchDirectory()
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const files = new OverlayFiles(scratch.path, `${directory.path}/${spills++}`)
      let [open, model] = [files.open('/file'), below]
      const memory = new Uint8Array(100_000)
      for (const one of steps) {
        if (one.kind === 'write') {
          const end = one.at + one.length
          model = Buffer.concat([model, Buffer.alloc(Math.max(0, end - model.length))])
          model.fill(one.byte, one.at, end)
          memory.fill(one.byte, 7, 7 + one.length)
          expect(files.write(open, memory.buffer as unknown as Uint8Array, 7, one.length, one.at)).toBe(one.length)
        } else if (one.kind === 'truncate') {
          model = Buffer.concat([model.subarray(0, one.at), Buffer.alloc(Math.max(0, one.at - model.length))])
          files.truncate('/file', one.at)
        } else if (one.kind === 'reopen') {
          files.close(open)
          open = files.open('/file')
        } else {
          // an open file that is removed still takes bytes; those of the next one are others
          files.writeFile('/other', '')
          files.unlink('/file')
          files.write(open, memory, 0, 10, one.at)
          files.close(open)
          files.rename('/other', '/file')
          open = files.open('/file')
          model = Buffer.alloc(0)
        }
        expect(files.lstat('/file').size).toBe(model.length)
        const count = files.read(open, memory, 3, 90_000, 0)
        expect(Buffer.from(memory.subarray(3, 3 + count)).equals(model)).toBe(true)
      }
      files.close(open)
    }),
    { numRuns: rounds(20, 500) },
  )
  expect(readFileSync(`${scratch.path}/file`).equals(below)).toBe(true)
})

test('directories change on top of those below, and errors have the numbers of Emscripten', async () => {
  await using scratch = await scratchDirectory()
  mkdirSync(`${scratch.path}/below/base`, { recursive: true })
  writeFileSync(`${scratch.path}/below/base/1`, 'x')
  const files = new OverlayFiles(`${scratch.path}/below`, `${scratch.path}/spill`)
  files.mkdir('/new')
  files.writeFile('/new/file', 'text')
  files.rename('/base/1', '/new/1')
  expect([files.readdir(''), files.readdir('/base'), files.readdir('/new')]).toEqual([
    ['.', '..', 'base', 'new'],
    ['.', '..'],
    ['.', '..', 'file', '1'],
  ])
  files.rmdir('/base')
  const codes = [
    () => files.open('/base/1'),
    () => files.mkdir('/new'),
    () => files.rmdir('/new'),
    () => files.open('/new'),
    () => files.lstat('/new/file/x'),
    () => files.read(99, new Uint8Array(1), 0, 1, 0),
  ].map((work) => codeOf(work))
  expect(codes).toEqual([44, 20, 55, 31, 54, 8])
  expect(readdirSync(scratch.path, { recursive: true }).sort()).toEqual(['below', 'below/base', 'below/base/1'])
})

function codeOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}
