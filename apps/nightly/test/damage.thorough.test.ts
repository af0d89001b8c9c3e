/** @module-tag thorough */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from './world.ts'

test('damage in an older copy fails one night, and is named until the copy is gone', async () => {
  await using world = await openWorld(() => ({
    ...{ formats: ['csv'], verify: '1/2', report: 'site', metrics_file: 'collab.prom' },
  }))
  for (const _ of [1, 2]) expect(await world.night()).toMatchObject({ code: 0 })
  const [oldest = ''] = (await readdir(join(world.path, 'b'))).filter((name) => /^\d/.test(name)).sort()
  await writeFile(join(world.path, 'b', oldest, 'data/further.txt'), '')
  // the newer one has its turn before it
  const codes = [(await world.night()).code, (await world.night()).code, (await world.night()).code]
  expect(codes.toSorted()).toEqual([0, 0, 5])
  expect(codes.at(-1)).toBe(0)
  const damaged = `Damaged, until removed or verified whole: ${oldest}`
  expect(await world.read('collab.prom')).toContain('collab_backup_damaged 1')
  expect(await world.read('site/index.html')).toContain(damaged)
  expect((await world.night(['status'])).stdout).toContain(`damaged         ${oldest}: remove it`)
  const again = await world.night()
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining(damaged) })

  await rm(join(world.path, 'b', oldest), { recursive: true })
  expect(await world.night()).toMatchObject({ code: 0 })
  expect(await world.read('collab.prom')).toContain('collab_backup_damaged 0')
  expect((await world.night(['status'])).stdout).not.toContain('damaged')
})
