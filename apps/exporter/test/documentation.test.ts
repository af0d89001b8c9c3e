import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { scratch } from '@collab-etl/harness/scratch'
import { runScript } from '@collab-etl/harness/scripts'
import { startSandbox } from '@collab-etl/sandbox'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')

test('every command of docs/backups.md works', async () => {
  const page = await readFile(join(ROOT, 'docs/backups.md'), 'utf8')
  const script = /<!-- run: backups -->\n```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const sandbox = await startSandbox({ projects: 2, tasks: 5, archived: 5, pages: 6, posts: 4, events: 2 })
  onTestFinished(() => sandbox.close())
  const cwd = await scratch()
  await writeFile(join(cwd, 'token'), sandbox.token, { mode: 0o600 })
  const own = script
    .replaceAll('https://collab.example.com', sandbox.baseUrl)
    .replaceAll('/run/secrets/collab-token', join(cwd, 'token'))
    .replaceAll('P1', sandbox.pids[0] ?? '')
  const stdout = await runScript(own, { cwd })
  expect(stdout.match(/^Backup written$/gm)).toHaveLength(3)
  expect(stdout.match(/^Whole: /gm)).toHaveLength(2)
})
