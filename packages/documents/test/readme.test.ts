import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

test('the example of the README prints its documented output', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const source = example.replaceAll(
    "'@collab-etl/documents'",
    JSON.stringify(new URL('../src/index.ts', import.meta.url).href),
  )
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', source], {
    encoding: 'utf8',
  })
  const documented = [...example.matchAll(/console\.log\(.*\) \/\/ (.*)/g)].map(([, output]) => output)
  expect([stdout.trimEnd().split('\n'), stderr]).toEqual([documented, ''])
})
