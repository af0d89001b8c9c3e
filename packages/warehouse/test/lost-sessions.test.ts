import { postgresServer } from '@collab-etl/harness/postgres'
import { describe, expect, inject, test } from 'vitest'
import { isWarehouseError } from '../src/errors.ts'
import type { Run } from '../src/snapshot/run.ts'
import type { Warehouse } from '../src/warehouse.ts'
import { type OwnDatabase, ownDatabase } from './support/own-database.ts'
import { task } from './support/records.ts'
import { NO_LIMITS } from './support/snapshot.ts'
import { READY_SCHEMA } from './support/templates.ts'

const RUN = { baseUrl: 'https://collab.example.org', toolVersion: '1.0.0' }
const SCOPE = { pid: 'p1', stream: 'tasks' } as const

describe.skipIf(postgresServer() === null)('a run whose sessions are lost', () => {
  test('continues, and publishes nothing of what was staged before', async () => {
    const { warehouse, run, database } = await begun()
    const stage = await run.stage('p1')
    await read(stage, ['t1', 't2'])
    await endSessions(database)
    const error = await stage.publish(NO_LIMITS).catch((thrown: unknown) => thrown)
    expect(isWarehouseError(error)).toBe(true)
    expect(await run.survives(error)).toBe(true)
    const again = await run.stage('p1')
    await read(again, ['t1', 't2', 't3'])
    expect((await again.publish(NO_LIMITS)).tables.tasks).toMatchObject({ inserted: 3 })
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(await statuses(warehouse)).toEqual(['succeeded'])
  })

  test('never publishes a stage that an emptied table no longer holds', async () => {
    const { run, database } = await begun()
    const [first, second] = [await run.stage('p1'), await run.stage('p2')]
    await read(first, ['t1'])
    await endSessions(database)
    const lost = await first.publish(NO_LIMITS).catch((thrown: unknown) => thrown)
    expect(await run.survives(lost)).toBe(true)
    // it noticed nothing
    await second.end(ended({ ...SCOPE, pid: 'p2' }, 0))
    await expect(second.publish(NO_LIMITS)).rejects.toMatchObject({ code: 'LOCK_LOST' })
  })

  test('that is about to begin names the database, not a defect of this program', async () => {
    const database = await ownDatabase()
    const lock = await (await database.driver()).lock('collab')
    await endSessions(database)
    await expect(lock.announceRun()).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('takes the lock once more if its sessions are lost again while it does', async () => {
    const database = await ownDatabase()
    const driver = await database.driver()
    const lock = await driver.lock('collab')
    await endSessions(database)
    let proofs = 0
    const prove = async () => {
      if (proofs++ === 0) await endSessions(database)
      await driver.query('SELECT')
      return true
    }
    await lock.regain?.({ prove, signal: new AbortController().signal })
    expect([proofs, lock.isLost]).toEqual([2, false])
  })

  test('reports UNREACHABLE if the server ended an idle transaction', async () => {
    const driver = await (await ownDatabase()).driver()
    const paused = driver.transaction(async (session) => {
      await session.script("SET LOCAL idle_in_transaction_session_timeout = '50ms'")
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300) // as a process that is stopped
      await session.query('SELECT')
    })
    await expect(paused).rejects.toMatchObject({ code: 'UNREACHABLE' })
  })

  test('finishes after they were lost', async () => {
    const { warehouse, run, database } = await begun()
    await endSessions(database)
    await run.finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    expect(await statuses(warehouse)).toEqual(['succeeded'])
  })

  test('ends once another run has begun, even if that one has ended', async () => {
    const { run, database } = await begun()
    await endSessions(database)
    const other = await database.warehouse({ schema: READY_SCHEMA })
    const lock = await other.runs.lock()
    await (await other.runs.begin(RUN)).finish({ status: 'succeeded', requests: 0, retries: 0, bytes: 0 })
    await lock[Symbol.asyncDispose]()
    const lost = await run.stage('p1').catch((thrown: unknown) => thrown)
    await expect(run.survives(lost)).rejects.toMatchObject({ code: 'LOCK_LOST' })
    await expect(run.stage('p1')).rejects.toMatchObject({ code: 'LOCK_LOST' })
  })

  test('ends while another run holds the lock', async () => {
    const { run, database } = await begun()
    await endSessions(database)
    await (await database.warehouse({ schema: READY_SCHEMA })).runs.lock()
    const lost = await run.stage('p1').catch((thrown: unknown) => thrown)
    await expect(run.survives(lost)).rejects.toMatchObject({ code: 'LOCK_LOST' })
    expect(await run.survives(lost)).toBe(false)
  })
})

async function begun(): Promise<{ database: OwnDatabase; warehouse: Warehouse; run: Run }> {
  const database = await ownDatabase(inject('postgresTemplate'))
  const warehouse = await database.warehouse({ schema: READY_SCHEMA })
  await warehouse.runs.lock()
  return { database, warehouse, run: await warehouse.runs.begin(RUN) }
}

/** Ends the sessions of all others, as a restart of the server does. */
async function endSessions(database: OwnDatabase): Promise<void> {
  const driver = await database.driver()
  const others = 'FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()'
  await driver.query(`SELECT pg_terminate_backend(pid) ${others}`)
  await expect.poll(async () => (await driver.query(`SELECT ${others}`)).rows).toEqual([])
}

type Stage = Awaited<ReturnType<Run['stage']>>

async function read(stage: Stage, tids: readonly string[]): Promise<void> {
  await stage.write(SCOPE, { kind: 'task', records: tids.map((tid) => task(tid)), losses: [] })
  await stage.end(ended(SCOPE, tids.length))
}

function ended(scope: { readonly pid: string; readonly stream: 'tasks' }, count: number) {
  const now = new Date()
  return {
    scope,
    status: 'complete',
    pages: 1,
    read: count,
    requests: 1,
    bytes: 1,
    startedAt: now,
    finishedAt: now,
  } as const
}

async function statuses(warehouse: Warehouse): Promise<unknown[]> {
  return (await warehouse.rows.query(`SELECT status FROM ${READY_SCHEMA}.runs`)).rows.flat()
}
