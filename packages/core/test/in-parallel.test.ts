import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inParallel } from '../src/projects/read-projects.ts'

const never = new AbortController().signal
const items = Array.from({ length: 20 }, (_, index) => index)

test('runs at most `projectsAtOnce` items at once, and each once', async () => {
  let underWay = 0
  let peak = 0
  const done: number[] = []
  await inParallel(items, { projectsAtOnce: 3, signal: never }, async (item) => {
    underWay += 1
    peak = Math.max(peak, underWay)
    await sleep(1)
    underWay -= 1
    done.push(item)
  })
  expect(peak).toBe(3)
  expect(done.sort((a, b) => a - b)).toEqual(items)
})

test('a failure aborts the others, skips the rest, and is thrown when all have ended', async () => {
  const begun: number[] = []
  let ended = 0
  const work = inParallel(items, { projectsAtOnce: 3, signal: never }, async (item, signal) => {
    begun.push(item)
    if (item === 1) throw new Error('first')
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
    ended += 1
    throw new Error('because of the first')
  })
  await expect(work).rejects.toThrow('first')
  expect({ begun, ended }).toEqual({ begun: [0, 1, 2], ended: 2 })
})

test('an abort from outside is thrown although no item failed', async () => {
  const controller = new AbortController()
  const work = inParallel(items, { projectsAtOnce: 1, signal: controller.signal }, async () =>
    controller.abort(new Error('outside')),
  )
  await expect(work).rejects.toThrow('outside')
})
