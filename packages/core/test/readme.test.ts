import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, expect, test } from 'vitest'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const readme = await readFile(join(root, 'README.md'), 'utf8')
const examples = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code = '']) => code)

let sandbox: Awaited<ReturnType<typeof startSandbox>>
let directory: string

beforeAll(async () => {
  sandbox = await startSandbox()
  // Within the package, so that it is found by its name.
  directory = await mkdtemp(join(root, 'dist', 'readme-'))
})

afterAll(async () => {
  await sandbox.close()
  await rm(directory, { recursive: true })
})

test('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(3)
})

test.for(examples.map((code, index) => ({ index, code })))(
  'example $index of the documentation runs as it is printed',
  { timeout: 30_000 },
  async ({ index, code }) => {
    const file = join(directory, `example-${index}.mjs`)
    await writeFile(file, code)
    const env = { ...process.env, COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
    const { stdout, stderr } = await run(process.execPath, [file], { env })
    expect(stdout).not.toBe('')
    expect(stderr).toBe('')
  },
)
