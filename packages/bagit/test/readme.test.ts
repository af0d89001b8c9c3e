import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

test('the example of the README writes and verifies a bag', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8')
  const [, example = ''] = /```ts\n(.*?)```/s.exec(readme) ?? []
  const directory = mkdtempSync(join(tmpdir(), 'bagit-readme-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const source = example
    .replaceAll('/backups/20260102T030405Z', directory)
    .replaceAll("'@collab-etl/bagit'", JSON.stringify(new URL('../src/index.ts', import.meta.url).href))
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--input-type=module', '--eval', `${source}\nconsole.log(damage)`],
    { encoding: 'utf8' },
  )
  expect([stdout.trim(), stderr]).toEqual(['[]', ''])
})
