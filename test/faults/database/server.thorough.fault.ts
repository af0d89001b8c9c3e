/** @module-tag thorough */

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { lockSession } from './lock-session.ts'
import { copied } from './moments.ts'
import { OwnServer, SMALL_FOLDER } from './own-server.ts'
import { PostgresProxy } from './proxy.ts'
import { ask } from './server.ts'
import { DatabaseWorld } from './world.ts'

/** Three connections are reserved for superusers. */
const MAX_CONNECTIONS = 20
const RESERVED = 3

let server: OwnServer

beforeAll(async () => {
  server = await OwnServer.start({ maxConnections: MAX_CONNECTIONS })
})

afterAll(() => server[Symbol.asyncDispose]())

/** Kills a session like the out-of-memory killer: the server ends all others and recovers. */
async function crash(world: DatabaseWorld): Promise<void> {
  const victim = await world.hold('SELECT')
  const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  await server.shell(`kill -9 ${rows[0]?.pid}`)
  await untilBack(world)
}

async function untilBack(world: DatabaseWorld): Promise<void> {
  for (;;) {
    try {
      await world.admin('SELECT')
      return
    } catch {
      // the server is recovering
    }
  }
}

fault('the server crashes and recovers', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { server: server.url })
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 3 }, () => crash(world))
  const ran = await world.snapshotAt(world.url, { concurrency: 1 })
  await meanwhile.done()
  expect(await world.expectOldOrNew()).toEqual({ published: 4, status: 'succeeded' })
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('the server crashes unnoticed while the run waits for the service', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture, { server: server.url })
  const [pid = ''] = world.sandbox.pids
  // more than is buffered before staging
  world.sandbox.store.change(pid, ({ tasks }) => {
    for (const task of tasks.slice(0, 3)) task.desc = randomBytes(600_000).toString('hex')
  })
  await using proxy = await PostgresProxy.start(world.url)
  const lock = lockSession(proxy)
  const staged = Promise.withResolvers<void>()
  proxy.once('staged tasks', copied('tasks'), () => {
    staged.resolve()
    return 'pass'
  })
  const meanwhile = world.atRequest({ operation: 'events.list', n: 3 }, async () => {
    await staged.promise
    // the pool closes idle sessions: only that of the lock remains
    await world.untilActivity("application_name !~ '^collab-etl [0-9]'", false)
    lock().sever()
    await crash(world)
  })
  const ran = await world.snapshotAt(proxy.url(world.url), { concurrency: 1, args: ['--project', pid] })
  proxy.expectSprung()
  await meanwhile.done()
  expect(await world.expectOldOrNew()).toMatchObject({ published: 1, status: 'succeeded' })
  await world.expectTruthFromNextRun()
  return fixture.cured(ran)
})

fault('the server restarts', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { server: server.url })
  await using proxy = await PostgresProxy.start(world.url)
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 3 }, async () => {
    proxy.goDown()
    await world.untilActivity('true', false)
    proxy.comeBack()
  })
  const ran = await world.snapshotAt(proxy.url(world.url), { concurrency: 1 })
  await meanwhile.done()
  expect(await world.expectOldOrNew()).toEqual({ published: 4, status: 'succeeded' })
  await world.expectTruth()
  return fixture.cured(ran)
})

fault('other sessions use all connections', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { server: server.url })
  const others = await Promise.all(Array.from({ length: MAX_CONNECTIONS - RESERVED }, () => world.hold('SELECT')))
  const ran = await world.snapshotAt()
  await Promise.all(others.map((other) => other.end()))
  expect(ran.stderr).toMatch(/remaining connection slots|too many clients/)
  expect(await world.expectOldOrNew()).toEqual({ published: 0, status: null })
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('the role may have three connections', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { server: server.url })
  await world.admin(`ALTER ROLE ${world.name} CONNECTION LIMIT 3`)
  const ran = await world.snapshotAt(world.url, { concurrency: 8 })
  expect(ran.stderr).toContain('too many connections for role')
  expect(await world.expectOldOrNew()).toMatchObject({ status: 'failed' })
  await world.admin(`ALTER ROLE ${world.name} CONNECTION LIMIT -1`)
  await world.expectTruthFromNextRun()
  return fixture.named(ran, 1)
})

fault('the disk of the server is full', async (fixture) => {
  await server.shell(`mkdir -p ${SMALL_FOLDER}/space && chown postgres ${SMALL_FOLDER}/space`)
  await ask(server.url, `CREATE TABLESPACE small LOCATION '${SMALL_FOLDER}/space'`)
  {
    await using world = await DatabaseWorld.filled(fixture, { server: server.url, database: 'TABLESPACE small' })
    for (const pid of world.sandbox.pids) {
      world.sandbox.store.change(pid, ({ pages: [page] }) => {
        if (page) page.content = randomBytes(1_000_000).toString('hex')
      })
    }
    await server.shell(
      `dd if=/dev/zero of=${SMALL_FOLDER}/ballast bs=1M 2>/dev/null; truncate -s -1M ${SMALL_FOLDER}/ballast`,
    )
    const ran = await world.snapshotAt()
    expect(ran.stderr).toContain('No space left on device')
    expect(await world.expectOldOrNew()).toEqual({ published: 0, status: expect.stringMatching(/failed|running/) })
    await server.shell(`rm ${SMALL_FOLDER}/ballast`)
    await world.expectTruthFromNextRun()
    return fixture.named(ran, 1)
  }
})
