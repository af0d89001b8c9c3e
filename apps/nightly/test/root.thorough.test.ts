/** @module-tag thorough */
import { chmod, chown, lstat, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

/** Of an unprivileged user, on every system. */
const ID = 65_534

const AS_USER = ['setpriv', `--reuid=${ID}`, `--regid=${ID}`, '--clear-groups']

/** A world whose directory belongs to the user. */
async function openUsersWorld(): Promise<World> {
  const world = await openWorld(() => ({
    ...{ formats: ['markdown', 'csv', 'jsonl'], verify: '1/2', keep: { last: 9 }, report: 'site' },
    ...{ metrics_file: 'collab.prom', archive: { as: 'tar.gz', to: 'archives' } },
  }))
  await chmod(world.path, 0o755)
  await mkdir(join(world.path, 'archives'))
  for (const name of ['.', 'collab.yaml', 'archives']) await chown(join(world.path, name), ID, ID)
  return world
}

test.runIf(process.getuid?.() === 0)('after a night of root, the user of an installation needs no chown', async () => {
  await using world = await openUsersWorld()
  const edit = (content: string) =>
    world.sandbox.store.change(world.sandbox.pids[0] ?? '', ({ pages }) => Object.assign(pages[0] ?? {}, { content }))
  expect(await world.night([], { through: AS_USER })).toMatchObject({ code: 0 })
  edit('root was here')
  expect(await world.night()).toMatchObject({ code: 0 })
  const below = (await readdir(world.path, { recursive: true })).map((name) => join(world.path, name))
  const owners = await Promise.all(below.map(async (path) => ({ path, uid: (await lstat(path)).uid })))
  expect(owners.filter(({ uid }) => uid !== ID)).toEqual([])

  // as earlier versions left it
  const [, ofRoot = ''] = (await readdir(join(world.path, 'b'))).filter((name) => /^\d/.test(name)).sort()
  await chown(join(world.path, 'b', ofRoot), 0, 0)
  edit('and left')
  const { code, stderr } = await world.night([], { through: AS_USER })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('all files were written anew') })
  expect(stderr).toContain(`chown -R ${ID}:${ID} ${join(world.path, 'b', ofRoot)}`)
})
