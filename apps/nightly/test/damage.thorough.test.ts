/** @module-tag thorough */
import { readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from './world.ts'

test('damage in an older copy fails one night, and is named until the copy is gone', async () => {
  await using world = await openWorld(() => ({
    ...{ formats: ['csv'], verify: '1/2', report: 'site', metrics_file: 'collab.prom' },
    after: [['sh', '-c', 'echo copied >> copies']],
  }))
  expect(await world.night()).toMatchObject({ code: 0 })
  const [oldest = ''] = (await readdir(join(world.path, 'b'))).filter((name) => /^\d/.test(name))
  await writeFile(join(world.path, 'b', oldest, 'data/further.txt'), '')
  expect(await world.night()).toMatchObject({ code: 5 })
  // the newer one has its turn
  expect(await world.night()).toMatchObject({ code: 0 })
  const damaged = `<span data-t>Damaged, until removed or verified intact:</span> <bdi>${oldest}</bdi>`
  expect(await world.read('collab.prom')).toContain('collab_backup_damaged 1')
  expect(await world.read('site/index.html')).toContain(damaged)
  expect((await world.night(['status'])).stdout).toContain(`damaged         ${oldest}: remove it`)
  // its turn again
  expect(await world.night()).toMatchObject({ code: 0, stderr: expect.stringContaining('still damaged') })
  // tonight's backup was not damaged
  expect(await world.read('copies')).toBe('copied\n'.repeat(4))

  await rm(join(world.path, 'b', oldest), { recursive: true })
  expect(await world.night()).toMatchObject({ code: 0 })
  expect(await world.read('collab.prom')).toContain('collab_backup_damaged 0')
  expect((await world.night(['status'])).stdout).not.toContain('damaged')
})
