/** @module-tag thorough */

import type { Ran, RunOptions, Started } from '@collab-etl/harness/commands'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { hoursOff } from './support/clocks.ts'
import { Place } from './support/place.ts'

/** Kills a snapshot while it reads the nth project; the previous ones are published. */
async function killedIn(
  project: number,
  place: Place,
  args: readonly string[],
  env: RunOptions['env'] = {},
): Promise<void> {
  let command: Started | undefined
  let begun = 0
  const stop = place.sandbox.beforeRequest(({ operation }) => {
    if (operation === 'pages.list' && ++begun === project) command?.kill('SIGKILL')
  })
  const killed = await place.fixture.run('collab-extract', ['snapshot', '--concurrency', '1', ...args], {
    env: { ...place.env, ...env },
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
  const place = await Place.open(fixture)
  await killedIn(3, place, ['--events-from', '2028-01-01'])
  const ran = await place.snapshot(['--resume', '--json'])
  expect(skippedPids(ran)).toEqual([])
  await place.expectWhole()
  return fixture.cured(ran)
})

fault('a killed snapshot is resumed after two days', async (fixture) => {
  const place = await Place.open(fixture)
  const named = ['--posts-file', place.postsFile]
  await killedIn(3, place, named, hoursOff(-46))
  await killedIn(1, place, [...named, '--resume'], hoursOff(-23))
  const refused = await place.snapshot(['--resume', '--json'])
  expect(refused.stderr).toMatch(/--resume=force/)
  const ran = await place.snapshot(['--resume=force', '--json'])
  expect(skippedPids(ran)).toHaveLength(2)
  expect(ran.code).toBe(0)
  await place.expectWhole()
  return fixture.refused(refused)
})
