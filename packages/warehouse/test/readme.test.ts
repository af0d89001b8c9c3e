import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { expect, inject, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')

test('the example of the README runs as it is printed', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8')
  const [, code = ''] = /```js\n(.*?)```/s.exec(readme) ?? []
  // within the package, so that it is found by its name
  const directory = await mkdtemp(join(root, 'dist', 'readme-'))
  try {
    await copyDirectory(inject('embeddedTemplate'), join(directory, 'data'))
    await writeFile(join(directory, 'example.mjs'), code)
    const env: NodeJS.ProcessEnv = { ...process.env, COLLAB_DATA_DIR: join(directory, 'data') }
    delete env['DATABASE_URL']
    const { stdout, stderr } = await run(process.execPath, [join(directory, 'example.mjs')], { env })
    expect(stdout.split('\n')).toEqual([
      '{ read: 1, inserted: 1, updated: 0, deleted: 0 }',
      'w1 To the chat',
      "[ 'status', 'count' ] [ [ 'succeeded', 1 ] ]",
      '',
    ])
    expect(stderr).toBe('')
  } finally {
    await rm(directory, { recursive: true })
  }
})
