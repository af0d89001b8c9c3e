/** @module-tag thorough */

import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { run, type Started, scratchDirectory } from '@collab-etl/harness/commands'
import { startLocalPostgres } from '@collab-etl/harness/local-postgres'
import { findBinaries } from '@collab-etl/harness/postgres-binaries'
import { isWarehouseError, openWarehouse, type Warehouse } from '@collab-etl/warehouse'
import { expect, onTestFinished, test } from 'vitest'

/** A minute, and the time that a slow machine of tests adds. */
const MOST_MS = 90_000

/** The other host: a network namespace, with a link to this one. */
const HOST = `collab-${process.pid}`
const [HERE, THERE] = ['10.213.7.1', '10.213.7.2']
const PORT = '4010'

function ip(...args: readonly string[]): void {
  execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })
}

/** @returns why this machine cannot have another host; `null`: it has one */
function makeHost(): string | null {
  try {
    ip('netns', 'add', HOST)
    // its end of the link goes with it
    onTestFinished(() => ip('netns', 'delete', HOST))
    ip('link', 'add', `${HOST}a`, 'type', 'veth', 'peer', 'name', `${HOST}b`, 'netns', HOST)
    ip('address', 'add', `${HERE}/24`, 'dev', `${HOST}a`)
    ip('link', 'set', `${HOST}a`, 'up')
    ip('-n', HOST, 'address', 'add', `${THERE}/24`, 'dev', `${HOST}b`)
    ip('-n', HOST, 'link', 'set', `${HOST}b`, 'up')
    ip('-n', HOST, 'link', 'set', 'lo', 'up')
    return null
  } catch (error) {
    return `ip netns: ${String(error)}`
  }
}

test('the lock of a host that vanishes is free within a minute', async ({ skip }) => {
  const binaries = await findBinaries()
  if (binaries === null) return skip('npm installed no binaries of Postgres')
  const lack = makeHost()
  if (lack !== null) return skip(lack)
  const server = await startLocalPostgres(binaries, HERE)
  onTestFinished(() => server.stop())
  await using scratch = await scratchDirectory()
  let snapshot: Started | undefined
  const there = {
    cwd: scratch.path,
    through: ['ip', 'netns', 'exec', HOST],
    env: {
      COLLAB_BASE_URL: `http://127.0.0.1:${PORT}`,
      COLLAB_TOKEN: 'sandbox-token',
      DATABASE_URL: server.url.replace('127.0.0.1', HERE),
    },
  }
  let sandbox: Started | undefined
  const serving = run('collab-sandbox', ['--port', PORT, '--latency', '300'], {
    ...there,
    onStart: (started) => (sandbox = started),
  })
  const ran = run('collab-extract', ['snapshot', '--retries', '10'], {
    ...there,
    onStart: (started) => (snapshot = started),
  })
  await using warehouse = await openWarehouse({ databaseUrl: server.url, dataDir: scratch.path, schema: 'collab' })
  while (!(await isStaging(warehouse))) await sleep(100)
  ip('link', 'set', `${HOST}a`, 'down')
  const downAt = performance.now()
  snapshot?.kill('SIGKILL')
  sandbox?.kill('SIGTERM')
  await Promise.all([ran, serving])
  expect(await takeLock(warehouse)).toBe('LOCKED')
  while ((await takeLock(warehouse)) !== null) await sleep(1000)
  expect(performance.now() - downAt).toBeLessThan(MOST_MS)
})

/** Whether the run is under way, and sessions work under its lock. */
async function isStaging({ rows }: Warehouse): Promise<boolean> {
  const work =
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ShareLock' AND database <> 0 AND pid <> pg_backend_pid()"
  const run = "SELECT FROM collab.run_scopes WHERE pid <> ''"
  try {
    return (await rows.query(`SELECT WHERE EXISTS (${work}) AND EXISTS (${run})`)).rows.length > 0
  } catch {
    return false // there is no schema yet
  }
}

/** @returns the code of the error; `null`: it was free */
async function takeLock({ runs }: Warehouse): Promise<string | null> {
  try {
    await using _ = await runs.lock()
    return null
  } catch (error) {
    if (isWarehouseError(error)) return error.code
    throw error
  }
}
