/** @module-tag thorough */

import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { localServer } from '../support/local-server.ts'
import { DatabaseWorld } from './world.ts'

const server = localServer()

/** The request during which the server is stopped, its number, and for how long. */
const MOMENTS = [
  {
    title: 'the server is stopped for a second while rows are staged',
    operation: 'pages.list',
    n: 1,
    how: 'fast',
    downMs: 1000,
  },
  {
    title: 'the server crashes, and what is staged is gone',
    operation: 'pages.list',
    n: 3,
    how: 'immediate',
    downMs: 1000,
  },
  {
    title: 'the server crashes, and comes back after six seconds',
    operation: 'events.list',
    n: 2,
    how: 'immediate',
    downMs: 6000,
  },
] as const

fault('the server is stopped for a second while workers read', async (fixture) => {
  await using world = await DatabaseWorld.filled(fixture, { server: server().url })
  const meanwhile = world.atRequest({ operation: 'pages.list', n: 2 }, async () => {
    await server().goDown('fast')
    await sleep(1000)
    await server().comeBack()
  })
  const ran = await world.snapshotAt(world.url, { args: ['--workers', '2'] })
  await meanwhile.done()
  expect(ran.code, ran.stderr).toBe(0)
  await world.expectTruth()
  expect(await world.admin('SELECT status, generation FROM collab.runs ORDER BY started_at')).toMatchObject([
    { status: 'succeeded' },
    { status: 'succeeded', generation: 1 },
  ])
  return fixture.named(ran, 0)
})

for (const { title, operation, n, how, downMs } of MOMENTS) {
  fault(title, async (fixture) => {
    await using world = await DatabaseWorld.filled(fixture, { server: server().url })
    // more than is buffered, so that rows are staged when the server stops
    for (const pid of world.sandbox.pids) {
      world.sandbox.store.change(pid, ({ tasks }) => {
        for (const task of tasks.slice(0, 4)) task.desc = randomBytes(600_000).toString('hex')
      })
    }
    const meanwhile = world.atRequest({ operation, n }, async () => {
      await world.untilActivity("query LIKE 'COPY%'")
      await server().goDown(how)
      await sleep(downMs)
      await server().comeBack()
    })
    const ran = await world.snapshotAt()
    await meanwhile.done()
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain('what was lost with its sessions is read again')
    await world.expectTruth()
    expect(await world.admin('SELECT status, count(*)::int FROM collab.runs GROUP BY 1')).toEqual([
      { status: 'succeeded', count: 2 },
    ])
    return fixture.named(ran, 0)
  })
}
