/** @module-tag thorough */

/** @module-tag thorough */
import { readFile, readlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Night } from '@collab-etl/observability'
import { expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { openWorld, type World } from './world.ts'

const DAY_MS = 86_400_000
const day = (fromToday: number) => new Date(Date.now() + fromToday * DAY_MS).toISOString().slice(0, 10)

/** Replaces `nightly.accept` in the config file. */
async function accept({ path }: World, entries: readonly { scope: string; until: string; reason: string }[]) {
  const file = join(path, 'collab.yaml')
  const value = parse(await readFile(file, 'utf8'))
  await writeFile(file, stringify({ ...value, nightly: { ...value.nightly, accept: entries } }))
}

/** Runs a night, and returns its exit code, its record, and the backup that `latest` points to after it. */
async function nightOf(world: World) {
  const { code, stdout } = await world.night()
  const night = (await world.nights()).at(-1)
  if (night === undefined) throw new Error('the night is not on record')
  return { code, stdout, night, backup: backupOf(night), latest: await readlink(join(world.path, 'b/latest')) }
}

function backupOf({ backup }: Night): NonNullable<Night['backup']> {
  if (backup === null) throw new Error('the night has no backup')
  return backup
}

test('a post that answers 500 for good: accepted nights are whole, until the acceptance ends', async () => {
  await using world = await openWorld((watcher) => ({
    ...{ formats: ['markdown', 'csv'], verify: 'off', report: 'site', metrics_file: 'collab.prom' },
    notify: [{ url: `${watcher}/all`, when: 'always', as: 'json' }],
  }))
  const { sandbox } = world
  const [pid = ''] = sandbox.pids
  const [id = ''] = sandbox.store.truth(pid).posts.map(({ post }) => post.post_id)
  sandbox.store.change(pid, ({ pages }) => Object.assign(pages[0] ?? {}, { content: `/project/${pid}/post/${id}` }))
  const whole = await nightOf(world)
  expect(whole).toMatchObject({ code: 0, latest: whole.backup.name })

  const fault = sandbox.faults.add({
    kind: 'error',
    status: 500,
    operation: 'posts.get',
    where: { post_id: id },
    times: 'always',
  })
  const red = await nightOf(world)
  expect(red).toMatchObject({ code: 3, latest: whole.backup.name, backup: { status: 'partial' } })
  expect(red.night.last_whole_at).toBe(whole.night.started_at)

  const scope = `${pid}/posts/${id}`
  await accept(world, [{ scope, until: day(30), reason: 'ticket 4711' }])
  const known = `Accepted failure ${scope}, until ${day(30)}: ticket 4711`
  const added: number[] = []
  for (const number of [1, 2, 3]) {
    sandbox.store.change(pid, ({ pages }) => Object.assign(pages[1] ?? {}, { content: `edit ${number}` }))
    const night = await nightOf(world)
    expect(night).toMatchObject({
      ...{ code: 0, latest: night.backup.name, backup: { status: 'accepted' } },
      night: { outcome: 'whole', consecutive_failures: 0, last_whole_at: night.night.started_at },
    })
    expect(night.stdout).toContain(`Done: everything was read and backed up, except for accepted failures.\n${known}`)
    added.push(night.backup.new_bytes)
  }
  // each night adds what changed since the night before, not what all of them had
  expect(added[2]).toBeLessThan((added[1] ?? 0) * 1.1)
  expect((await world.night(['status', '--max-age', '1h'])).stdout).toContain(known)
  expect(await world.read('site/index.html')).toContain('Accepted failures</h2>')
  expect(await world.read('collab.prom')).toMatch(/collab_scopes\{[^}]*stream="posts",status="accepted"\} 1/)
  expect(JSON.parse(world.watcher.received.at(-1)?.body ?? '{}').text).toContain(
    `Accepted failures: 1, until ${day(30)}`,
  )
  expect(JSON.parse(await world.read('b/latest/data/backup.json'))).toMatchObject({
    status: 'accepted',
    scopes: expect.arrayContaining([
      expect.objectContaining({
        stream: 'posts',
        accepted: [expect.objectContaining({ scope, reason: 'ticket 4711' })],
      }),
    ]),
  })
  expect(await world.read('b/latest/data/report.html')).toContain('ticket 4711')

  fault.remove()
  const well = await nightOf(world)
  expect(well).toMatchObject({ code: 0, backup: { status: 'complete' } })
  expect(well.stdout).toContain(`The accepted failure ${scope} no longer occurs: remove it`)

  sandbox.faults.add({ kind: 'error', status: 500, operation: 'posts.get', where: { post_id: id }, times: 'always' })
  await accept(world, [{ scope, until: day(-1), reason: 'ticket 4711' }])
  const ended = await nightOf(world)
  expect(ended).toMatchObject({ code: 3, latest: well.backup.name, backup: { status: 'partial' } })
  expect(ended.stdout).toContain(`The acceptance of ${scope} ended ${day(-1)}`)
})
