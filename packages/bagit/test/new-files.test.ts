import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { expect, test } from 'vitest'
import { NewFiles } from '../src/hashed-file.ts'

const SMALL = Buffer.from('small\n')
const LARGE = Buffer.alloc(1_000_000, 'large ')

test.each([
  ['quick', new NewFiles(Number.POSITIVE_INFINITY)],
  ['slow', new NewFiles(0)],
])('a file is for its owner only and holds every byte, on a disk that is %s', async (_how, files) => {
  const folder = await scratch()
  for (const [name, bytes] of [
    ['a', SMALL],
    ['b', LARGE],
    ['c', SMALL],
  ] as const) {
    const path = join(folder, name)
    await files.write(path, bytes)
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
  }
})

test.each([
  ['quick', Number.POSITIVE_INFINITY],
  ['slow', 0],
])('a file that is there already stays as it is, on a disk that is %s', async (_how, slowWrite) => {
  const path = join(await scratch(), 'a')
  const files = new NewFiles(slowWrite)
  await files.write(path, SMALL)
  await expect(files.write(path, LARGE)).rejects.toMatchObject({ code: 'EEXIST' })
  await expect(files.write(path, SMALL)).rejects.toMatchObject({ code: 'EEXIST' })
  expect(readFileSync(path).equals(SMALL)).toBe(true)
})
