import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { cleanEnvironment, run, scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { expect, onTestFinished, test } from 'vitest'

const execute = promisify(execFile)

test('serve answers psql, locks the warehouse, and ends with Ctrl-C', async () => {
  const scratch = await scratchDirectory()
  onTestFinished(() => scratch[Symbol.asyncDispose]())
  const env = { COLLAB_DATA_DIR: `${scratch.path}/data` }
  await makeEmptyWarehouse(env.COLLAB_DATA_DIR)
  const server = spawn('collab-extract', ['serve', '--json'], {
    env: { ...cleanEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void server.kill('SIGKILL'))
  const { url, password, ...rest } = await firstDocument(server)
  expect(rest).toEqual({ host: '127.0.0.1', port: expect.any(Number), user: 'collab_reader', database: 'postgres' })
  expect(url).toBe(`postgres://collab_reader@127.0.0.1:${rest['port']}/postgres`)
  const login = { env: { ...process.env, PGPASSWORD: String(password) } }
  if (await hasPsql()) {
    const { stdout } = await execute(
      'psql',
      ['-X', '-At', '-c', 'SELECT count(*) FROM collab.tasks', String(url)],
      login,
    )
    expect(stdout).toBe('0\n')
    const listed = await execute('psql', ['-X', '-At', '-c', '\\dt collab.users', String(url)], login)
    expect(listed.stdout).toBe('collab|users|table|postgres\n')
  }
  const locked = await run('collab-extract', ['runs'], { env })
  expect(locked).toMatchObject({ code: 11, stdout: '' })
  expect(locked.stderr).toContain(`process ${server.pid} `)
  const second = await run('collab-extract', ['serve'], { env })
  expect(second.code).toBe(11)
  server.kill('SIGINT')
  expect(await once(server, 'exit')).toEqual([0, null])
  expect(await readdir(env.COLLAB_DATA_DIR)).toEqual(['warehouse'])
})

test('serve refuses a Postgres warehouse, weak passwords, and a directory without a warehouse', async () => {
  const stderr = async (env: Record<string, string>) => {
    const ran = await run('collab-extract', ['serve'], { env })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    return ran.stderr
  }
  expect(await stderr({ DATABASE_URL: 'postgres://localhost/x' })).toContain('serve is for the embedded warehouse')
  expect(await stderr({ COLLAB_SERVE_PASSWORD: 'short' })).toContain('8 to 100 letters')
  expect(await stderr({})).toContain('no warehouse here')
})

async function firstDocument({ stdout }: ChildProcess): Promise<Record<string, unknown>> {
  if (stdout === null) throw new Error('the server has no output')
  for await (const line of createInterface(stdout)) return JSON.parse(line)
  throw new Error('the server ended without an address')
}

async function hasPsql(): Promise<boolean> {
  return await execute('psql', ['--version']).then(
    () => true,
    () => false,
  )
}
