import { expect, test } from 'vitest'
import { ProjectsAtOnce } from '../src/workers/projects-at-once.ts'

test('a worker reads one project, and more only while its processor waits', () => {
  const atOnce = new ProjectsAtOnce(3)
  const after = (reading: number, utilization: number) => {
    atOnce.adjust(reading, utilization)
    return atOnce.count
  }
  expect(atOnce.count).toBe(1)
  expect(after(1, 0.97)).toBe(1)
  expect([after(1, 0.2), after(2, 0.2), after(3, 0.2)]).toEqual([2, 3, 3])
  expect([after(3, 0.97), after(3, 0.97), after(3, 0.97)]).toEqual([2, 1, 1])
  // it reads fewer than it may
  expect(after(0, 0.2)).toBe(1)
})
