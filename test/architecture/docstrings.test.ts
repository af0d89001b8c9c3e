import { globSync } from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { exportsOf } from './docstrings.ts'

const ROOT = join(import.meta.dirname, '../..')
const indexes = globSync('{packages,apps}/*/src/index.ts', { cwd: ROOT })

test('every package with exports is looked at', () => {
  expect(indexes.length).toBeGreaterThan(5)
})

test.each(indexes)('everything that %s exports has a docstring', (index) => {
  const exported = exportsOf(join(ROOT, index))
  expect(exported.length).toBeGreaterThan(1)
  const missing = exported.filter(({ documented }) => !documented)
  expect(missing.map(({ name, file }) => `${name} in ${relative(ROOT, file)}`)).toEqual([])
})
