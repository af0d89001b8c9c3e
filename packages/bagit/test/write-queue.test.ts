import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { WriteQueue } from '../src/write-queue.ts'

/** Adds files of these sizes, each of which takes some turns to write. Returns the most bytes and files that were written at once. */
async function write(sizes: readonly number[]) {
  const queue = new WriteQueue()
  const recorded: number[] = []
  const now = { bytes: 0, files: 0 }
  const most = { bytes: 0, files: 0 }
  const one = async (bytes: number, index: number) => {
    now.bytes += bytes
    now.files += 1
    most.bytes = Math.max(most.bytes, now.bytes)
    most.files = Math.max(most.files, now.files)
    // The later ones are done first.
    for (let turn = 0; turn < 20 - (index % 20); turn++) await setImmediate()
    now.bytes -= bytes
    now.files -= 1
    return async () => void recorded.push(index)
  }
  for (const [index, bytes] of sizes.entries()) await queue.add(bytes, one(bytes, index))
  await queue.settle()
  return { most, recorded }
}

test('files are recorded in the order in which they were added, 9 at once at most', async () => {
  const { most, recorded } = await write(new Array<number>(40).fill(1000))
  expect(recorded).toEqual([...Array(40).keys()])
  expect(most.files).toBe(9)
})

test('large files are written one by one, so that their bytes do not add up in memory', async () => {
  const large = 1_100_000
  const { most, recorded } = await write([large, large, 10, large, large])
  expect(recorded).toEqual([0, 1, 2, 3, 4])
  expect(most.bytes).toBe(large + 10)
})

test('a file that cannot be written is thrown to the next who adds one, or settles', async () => {
  const queue = new WriteQueue()
  await queue.add(10, Promise.reject(new Error('no space')))
  await expect(queue.settle()).rejects.toThrow('no space')
})
