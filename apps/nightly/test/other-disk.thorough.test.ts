/** @module-tag thorough */
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld } from './world.ts'

test('an empty disk in the place of the backups, or of the archives, is named once', async () => {
  await using world = await openWorld((watcher) => ({
    ...{ formats: ['csv'], report: 'site', archive: { as: 'tar.gz', to: 'off', keep: { last: 9 } } },
    notify: [{ url: `${watcher}/changes`, when: 'change', as: 'json' }],
  }))
  await mkdir(join(world.path, 'off'))
  const night = async () => {
    const { code, stderr } = await world.night(['--quiet'])
    return { code, stderr, messages: world.watcher.received.splice(0).map(({ body }) => JSON.parse(body).text) }
  }
  expect(await night()).toEqual({ code: 0, stderr: '', messages: [] })
  const [archive = ''] = await readdir(join(world.path, 'off'))

  await rename(join(world.path, 'b'), join(world.path, 'b.gone'))
  await mkdir(join(world.path, 'b'))
  const named = expect.stringMatching(
    /b holds no earlier backup and no record of runs, .*: is the right disk mounted\?/,
  )
  expect(await night()).toEqual({ code: 0, stderr: named, messages: [named] })
  expect(await world.read('site/index.html')).toContain('is the right disk mounted?')
  expect((await world.night(['status'])).stdout).toContain('is the right disk mounted?')
  expect(await night()).toEqual({ code: 0, stderr: '', messages: [] })
  expect((await world.night(['status'])).stdout).not.toContain('mounted')

  await rename(join(world.path, 'b'), join(world.path, 'b.other'))
  await rename(join(world.path, 'b.gone'), join(world.path, 'b'))
  await rm(join(world.path, 'off', archive))
  const gone = expect.stringContaining(`${archive}: were they removed, or is another disk mounted?`)
  expect(await night()).toEqual({ code: 0, stderr: gone, messages: [gone] })
  expect(await night()).toEqual({ code: 0, stderr: '', messages: [] })
})

test('a project that the token may not read leaves a night whole', async () => {
  await using world = await openWorld(() => ({ formats: ['markdown', 'jsonl'] }), undefined, { barred: 1 })
  const { code, stdout } = await world.night()
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/the token may not read \d+ scopes/) })
})

test('a directory that is missing stops the first night before it reads, and no later one', async () => {
  await using world = await openWorld(() => ({ formats: ['csv'], metrics_file: 'metrics/collab.prom' }))
  const missing = `${join(world.path, 'metrics')} does not exist: make it, or mount its disk`
  const first = await world.night(['--quiet'])
  expect(first).toMatchObject({ code: 2, stderr: expect.stringContaining(`nightly.metrics_file: ${missing}`) })
  expect(world.sandbox.requests).toEqual([])
  await mkdir(join(world.path, 'metrics'))
  expect(await world.night(['--quiet'])).toMatchObject({ code: 0, stderr: '' })
  await rm(join(world.path, 'metrics'), { recursive: true })
  expect(await world.night(['--quiet'])).toMatchObject({ code: 0, stderr: expect.stringContaining(missing) })
})
