import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Result } from './report.ts'
import { merged, PAGE, REFERENCE, readResults, withResults } from './results.ts'

test('docs/dev/benches.md shows the results of test/bench/results.json', async () => {
  const page = await readFile(PAGE, 'utf8')
  expect(page).toBe(withResults(page, await readResults(REFERENCE)))
})

test('new results replace those of the same rows, and their environment', () => {
  const result = (name: string, value: number): Result => ({ name, runs: [{ value, parts: {} }] })
  const environment = { machine: { processor: 'p', cores: 2, node: 'v24' }, loadBefore: 0, postgres: null }
  const first = merged(
    { environments: {}, results: [] },
    [result('verify', 1), result('copy', 2)],
    '2026-01-01',
    environment,
  )
  const second = merged(first, [result('copy', 3)], '2026-01-02', environment)
  expect(second.results.map(({ name, runs, environment: at }) => [name, runs[0]?.value, at])).toEqual([
    ['copy', 3, '2026-01-02'],
    ['verify', 1, '2026-01-01'],
  ])
  expect(Object.keys(merged(second, [result('verify', 4)], '2026-01-03', environment).environments)).toEqual([
    '2026-01-02',
    '2026-01-03',
  ])
})
