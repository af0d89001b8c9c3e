import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '@collab-etl/harness/free-port'
import { postgresServer } from '@collab-etl/harness/postgres'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ownDatabase } from './support/own-database.ts'

const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0

describe.skipIf(postgresServer() === null || !isInstalled)('pgbouncer before the database', () => {
  test.each(['transaction', 'statement'])('is refused where it shares sessions: %s mode', async (mode) => {
    const database = await ownDatabase()
    const warehouse = await database.warehouse({ url: await startPooler(database.url, mode) })
    const refused = { code: 'UNSUITABLE', message: expect.stringMatching(/^a pooler before .*pool_mode = session\)$/) }
    await expect(warehouse.admin.requireOwnSessions()).rejects.toMatchObject(refused)
    await expect(warehouse.runs.lock()).rejects.toMatchObject(refused)
  })

  test('is refused where it hands out two sessions in turn', async () => {
    const database = await ownDatabase()
    const url = await startPooler(database.url, 'transaction', 'server_round_robin = 1')
    const clients = [new pg.Client(url), new pg.Client(url)]
    for (const client of clients) {
      await client.connect()
      await client.query('BEGIN')
    }
    for (const client of clients) await client.query('COMMIT')
    const warehouse = await database.warehouse({ url })
    for (const client of clients) await client.end()
    await expect(warehouse.admin.requireOwnSessions()).rejects.toMatchObject({ code: 'UNSUITABLE' })
  })

  test('is accepted where each client has its session', async () => {
    const database = await ownDatabase()
    const warehouse = await database.warehouse({ url: await startPooler(database.url, 'session') })
    await warehouse.admin.requireOwnSessions()
    const lock = await warehouse.runs.lock()
    await lock[Symbol.asyncDispose]()
  })
})

/** Starts pgbouncer before the server of an address; returns the address of the same database through it. */
async function startPooler(url: string, mode: string, further = ''): Promise<string> {
  const { hostname, port, username, password } = new URL(url)
  const home = mkdtempSync(join(tmpdir(), 'pooler-'))
  const file = join(home, 'pgbouncer.ini')
  const own = await freePort()
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${further}
ignore_startup_parameters = options
`,
  )
  // it does not run as root
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  if (user.uid !== undefined) for (const path of [home, file]) chownSync(path, user.uid, user.gid)
  const pooler = spawn('pgbouncer', [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] })
  onTestFinished(async () => {
    const ended = once(pooler, 'exit')
    pooler.kill('SIGQUIT')
    await ended
    rmSync(home, { recursive: true })
  })
  for await (const line of createInterface(pooler.stderr)) if (line.includes('process up')) break
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: own }).href
}
