/** @module-tag thorough */

import { setTimeout as sleep } from 'node:timers/promises'
import type { Started } from '@collab-etl/harness/commands'
import { onServer } from '@collab-etl/harness/postgres'
import { randomFrom } from '@collab-etl/harness/random'
import { rounds } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { dump, nights, server, settingsOf, target } from './moved.ts'
import { onPostgres } from './world.ts'

test.runIf(server)('kill -9 at any moment leaves nothing that looks whole, and the same command finishes', async () => {
  const world = await nights(onPostgres)
  const to = await target()
  const source = { url: settingsOf(world).url, schema: 'collab' }
  const random = randomFrom(1)
  let kills = 0
  for (let round = 0; round < rounds(3, 25); round++) {
    let command: Started | undefined
    const running = world.extract(['move', '--to', to.url, '--again'], { onStart: (started) => (command = started) })
    await sleep(random() * 2500)
    const signal = random() < 0.7 ? 'SIGKILL' : 'SIGINT'
    command?.kill(signal)
    const ran = await running
    const look = await world.extract(['query', 'SELECT count(*) FROM collab.tasks'], {
      env: { ...world.env, DATABASE_URL: to.url },
    })
    if (ran.code === 0) {
      expect(await dump(to)).toEqual(await dump(source))
      await onServer(to.url, 'DROP SCHEMA collab, collab_history CASCADE')
      continue
    }
    if (ran.code === 11) continue // the server has not noticed yet that the one before was killed
    kills++
    // a program that has not begun has no handler of signals
    if (ran.signal !== signal) expect({ signal, code: ran.code }).toEqual({ signal: 'SIGINT', code: 130 })
    expect(ran.stderr).not.toMatch(/^ {4}at /m)
    if (look.code === 0)
      expect(await dump(to)).toEqual(await dump(source)) // it was whole already
    else expect(look.stderr).toMatch(/is not whole|does not exist/)
    if (look.code === 0) await onServer(to.url, 'DROP SCHEMA collab, collab_history CASCADE')
  }
  expect(kills).toBeGreaterThan(0)
  const last = () => world.extract(['move', '--to', to.url, '--again'])
  await expect.poll(async () => (await last()).code, { timeout: 60_000 }).toBe(0)
  expect(await dump(to)).toEqual(await dump(source))
})
