import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { afterAll, beforeAll, expect, test } from 'vitest'

const NOWHERE = 'postgres://me:geheim@127.0.0.1:1/none'

let scratch: Awaited<ReturnType<typeof scratchDirectory>>
beforeAll(async () => {
  scratch = await scratchDirectory()
  await makeEmptyWarehouse(join(scratch.path, 'data'))
})
afterAll(() => scratch[Symbol.asyncDispose]())

async function tap(config: string | object, args: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const text = typeof config === 'string' ? config : JSON.stringify(config)
  await writeFile(join(scratch.path, 'config.json'), text)
  return await run('tap-collab', ['--config', 'config.json', ...args], { cwd: scratch.path, env })
}

test('the config file beats the environment: a directory in it means the embedded warehouse', async () => {
  const ran = await tap({ data_dir: 'data' }, ['--discover'], { DATABASE_URL: NOWHERE })
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(ran.stdout)).toMatchObject({ streams: { length: 27 } })
})

test('what the config file does not name is read from the environment', async () => {
  const { code, stderr, stdout } = await tap({}, ['--discover'], { DATABASE_URL: NOWHERE })
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toMatch(/^tap-collab: cannot reach the database postgres:\/\/me@127.0.0.1:1\/none.*\n$/)
})

test.each([
  ['{"database_url": "postgres://me:geheim@127.0.0.1/x",}', 'config.json is not valid JSON'],
  ['{"password": "geheim",\n "x": "geheim}', 'config.json is not valid JSON'],
  ['[]', 'config.json must be a JSON object'],
  ['null', 'config.json must be a JSON object'],
  [{ database: NOWHERE }, 'config.json:1: database is not a setting; did you mean database_url'],
  [{ database_url: 'mysql://me:geheim@x/y' }, 'database_url'],
  [{ data_dir: 'data', start_date: '31.1.2026' }, 'start_date must be a date'],
  [{ data_dir: 'none' }, 'run collab-extract snapshot'],
  [{ data_dir: 'data' }, 'no run of schema collab in [^\n]* has ended: run collab-extract snapshot first'],
])('a config that cannot be used ends with one line, without its secrets: %j', async (config, message) => {
  const { code, stdout, stderr } = await tap(config)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(new RegExp(`^tap-collab: [^\n]*${message}[^\n]*\n$`))
  expect(stderr).not.toContain('geheim')
})

test('missing, empty and damaged files of catalog and state are named', async () => {
  await writeFile(join(scratch.path, 'empty.json'), '')
  await writeFile(join(scratch.path, 'message.json'), '{"type":"STATE","value":{"bookmarks":{}}}')
  for (const [args, message] of [
    [['--state', 'none.json'], 'the state file none.json cannot be read (ENOENT)'],
    [['--catalog', 'empty.json'], 'the catalog file empty.json is empty'],
    [['--state', 'message.json'], 'message.json holds a STATE message: the state is its value alone'],
  ] as const) {
    expect(await tap({ data_dir: 'data' }, args)).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `tap-collab: ${message}\n`,
    })
  }
})
