/** @module-tag thorough */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { findBinaries } from '@collab-etl/harness/postgres-binaries'
import pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'

const HARNESS = join(import.meta.dirname, '../harness')

/** Starts a server as a run of the tests does, and prints its address. */
const PROGRAM = `
  import { findBinaries } from '${HARNESS}/postgres-binaries.ts'
  import { startLocalPostgres } from '${HARNESS}/local-postgres.ts'
  const { url, stop } = await startLocalPostgres(await findBinaries())
  console.log(url)
  if (process.env.ENDS) await stop()
  else setInterval(() => {}, 1000)
`

/** Starts the program with a temporary directory of its own. */
async function start(env: Readonly<Record<string, string>> = {}) {
  const directory = mkdtempSync('/tmp/collab-local-postgres-')
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  // a server that runs as another user must reach it
  chmodSync(directory, 0o755)
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    env: { ...cleanEnvironment(), ...env, TMPDIR: directory },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string] // it prints one line
  return { child, url, directory }
}

async function settingsOf(url: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows } = await client.query(
    "SELECT current_setting('max_connections') AS sessions, current_setting('fsync') AS fsync, current_setting('server_encoding') AS encoding",
  )
  await client.end()
  return rows[0]
}

describe.skipIf((await findBinaries()) === null)('a Postgres server without a container', () => {
  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'stops when its tests end by %s, and leaves no file',
    async (signal) => {
      const { child, url, directory } = await start()
      expect(await settingsOf(url)).toEqual({ sessions: '400', fsync: 'off', encoding: 'UTF8' })
      expect(readdirSync(directory)).toHaveLength(1)
      child.kill(signal)
      await expect.poll(() => readdirSync(directory), { timeout: 10_000 }).toEqual([])
      await expect(settingsOf(url)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    },
  )

  test('leaves no file if its tests are killed while it starts', async () => {
    const directory = mkdtempSync('/tmp/collab-local-postgres-')
    onTestFinished(() => rm(directory, { recursive: true, force: true }))
    chmodSync(directory, 0o755)
    for (const milliseconds of [300, 500, 700, 1000, 1500, 2200]) {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
        env: { ...cleanEnvironment(), TMPDIR: directory },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      setTimeout(() => child.kill('SIGKILL'), milliseconds)
      await once(child, 'exit')
    }
    // what is still starting makes its directory only now
    await sleep(2000)
    await expect.poll(() => readdirSync(directory), { timeout: 10_000 }).toEqual([])
  })

  test('is stopped by the run that started it', async () => {
    const { child, directory } = await start({ ENDS: 'yes' })
    const [code] = child.exitCode === null ? await once(child, 'exit') : [child.exitCode]
    expect(code).toBe(0)
    expect(readdirSync(directory)).toEqual([])
  })
})
