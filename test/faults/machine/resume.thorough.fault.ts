/** @module-tag thorough */

import type { Ran, RunOptions, Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { World } from '../support/world.ts'
import { hoursOff } from './support/clocks.ts'

/** Kills a snapshot while it reads the nth project; the previous ones are published. */
async function killedIn(
  project: number,
  world: World,
  args: readonly string[],
  env: RunOptions['env'] = {},
): Promise<void> {
  let command: Started | undefined
  let begun = 0
  const stop = world.sandbox.beforeRequest(({ operation }) => {
    if (operation === 'pages.list' && ++begun === project) command?.kill('SIGKILL')
  })
  const killed = await world.fixture.run('collab-extract', ['snapshot', '--concurrency', '1', ...args], {
    env: { ...world.env, ...env },
    onStart: (started) => {
      command = started
    },
  })
  stop()
  expect(killed.signal).toBe('SIGKILL')
}

const skippedPids = ({ stdout }: Ran): string[] => {
  const { scopes } = JSON.parse(stdout) as { scopes: { pid: string; error: { code: string } | null }[] }
  return [...new Set(scopes.filter(({ error }) => error?.code === 'RESUMED').map(({ pid }) => pid))]
}

fault('a killed snapshot is resumed with other options', async (fixture) => {
  const world = await World.open(fixture)
  await killedIn(3, world, ['--events-from', '2028-01-01'])
  const ran = await world.snapshot(['--resume', '--json'])
  expect(skippedPids(ran)).toEqual([])
  await world.expectWhole()
  return fixture.cured(ran)
})

fault('a killed snapshot is resumed after two days', async (fixture) => {
  const world = await World.open(fixture)
  const named = ['--posts-file', world.postsFile]
  await killedIn(3, world, named, hoursOff(-46))
  await killedIn(1, world, [...named, '--resume'], hoursOff(-23))
  const refused = await world.snapshot(['--resume', '--json'])
  expect(refused.stderr).toMatch(/--resume=force/)
  const ran = await world.snapshot(['--resume=force', '--json'])
  expect(skippedPids(ran)).toHaveLength(2)
  expect(ran.code).toBe(0)
  await world.expectWhole()
  return fixture.refused(refused)
})
