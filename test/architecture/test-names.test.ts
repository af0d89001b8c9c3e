import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const LONGEST = 89

/** The name in a call of `test`, `test.each(...)`, `test.skipIf(...)` and the like. */
const NAME = /\btest(?:Thoroughly)?(?:\.[a-zA-Z]+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*(['`])((?:(?!\1).|\\.)*)\1/gs

test('test names are under 90 characters', () => {
  const long = globSync('{packages/*/test,apps/*/test,test/{architecture,bench,contract,docs,e2e}}/**/*.test.ts', {
    cwd: ROOT,
  }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(NAME)]
      .map(([, , name = '']) => name)
      .filter((name) => name.length > LONGEST)
      .map((name) => `${file}: ${name}`),
  )
  expect(long).toEqual([])
})
