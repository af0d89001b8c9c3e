import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { embedded, openWorld } from './world.ts'

const PROGRAM = join(import.meta.dirname, '../bin/collab-extract.js')

const FILE = `accounts:
  - { name: anna, token_file: anna.json }
  - { name: ben, token_command: [cat, ben] }
`

test('login --account writes the token file of that account, and its token reads the service', async () => {
  await using world = await openWorld({ extended: ['oauth'], tokenLifetime: 3600, warehouse: false }, embedded)
  const { path, sandbox } = world
  await writeFile(join(path, 'collab.yaml'), FILE)
  const redirectUri = 'https://example.com/done'
  const args = ['login', '--account', 'anna', '--client-id', 'app', '--redirect-uri', redirectUri, '--paste', '--json']
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: path,
    env: { PATH: process.env['PATH'], COLLAB_BASE_URL: sandbox.baseUrl },
  })
  child.stdin.end(`${sandbox.grants.newCode('app', redirectUri)}\n`)
  expect(await once(child, 'close')).toEqual([0, null])
  expect((await readdir(path)).sort()).toEqual(['anna.json', 'collab.yaml'])
  expect(sandbox.grants.accepts(JSON.parse(await readFile(join(path, 'anna.json'), 'utf8')).access_token)).toBe(true)
})

test.each([
  [['--account', 'carl'], '--account: no account is named carl (anna, ben)'],
  [['--account', 'ben'], '--account: the account ben has a token_command, which gives its token'],
  [['--account', 'anna', '--out', 'x'], '--account and --out cannot be combined'],
])('login %j is refused before anybody is asked to sign in', async (args, says) => {
  await using world = await openWorld({ warehouse: false }, embedded)
  await writeFile(join(world.path, 'collab.yaml'), FILE)
  const { code, stdout, stderr } = await world.extract(['login', '--client-id', 'app', ...args])
  expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining(says)])
})
