import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { QUIRK_LIST } from '../src/index.ts'

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

test("the README's example prints its documented output", () => {
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const source = example.replace(
    "'@collab-etl/sandbox'",
    JSON.stringify(new URL('../src/index.ts', import.meta.url).href),
  )
  const cwd = fileURLToPath(new URL('..', import.meta.url))
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    cwd,
    encoding: 'utf8',
  })
  const promised = [...example.matchAll(/console\.log\(.*\/\/ (.*)/g)].map(([, output]) => output)
  expect([stdout.trimEnd().split('\n'), stderr]).toEqual([promised, ''])
})

test('the README lists every quirk', () => {
  const rows = [...readme.matchAll(/^\| `([^`]+)` +\| (.*?) +\|$/gm)].map(([, usage, describe]) => [usage, describe])
  expect(rows).toEqual(expect.arrayContaining(QUIRK_LIST.map((row) => [...row])))
})
