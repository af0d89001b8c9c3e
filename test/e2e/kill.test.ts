import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { run, scratchDirectory } from '../harness/commands.ts'
import { expectedRows } from '../harness/expected-rows.ts'
import { lanes } from '../harness/lanes.ts'
import { asLines, warehouseRows } from '../harness/warehouse-rows.ts'
import { changeProject, randomFrom } from './support/changes.ts'
import { snapshotKilledAfter } from './support/killed-snapshot.ts'
import { readStored, textOf } from './support/stored-projects.ts'

/** A snapshot into the embedded database takes seconds to open it, and looking into it as long again: as many as there is time for. */
const KILLS = { postgres: 50, embedded: 5 }

const SIZES = { projects: 50, tasks: 100, archived: 60, pages: 20, posts: 15, events: 20 }

/** A project that many runs in a row did not come to may have lost most of its few archived tasks by then. */
const ALL = ['--allow-shrink']

describe.each(lanes())('snapshots that are killed ($name)', (lane) => {
  test('leave every project wholly old or wholly new, and the last one that is not equals a clean one', async () => {
    const seed = Number(process.env['COLLAB_TEST_KILL_SEED'] ?? Date.now() % 1_000_000)
    const random = randomFrom(seed)
    await using scratch = await scratchDirectory()
    await using warehouse = await lane.open()
    const { env } = warehouse
    const sandbox = await startSandbox({ seed: 5, ...SIZES })
    try {
      const truths = () => sandbox.pids.map((pid) => sandbox.store.truth(pid))
      const postsFile = join(scratch.path, 'posts.csv')
      const posts = truths().flatMap(({ detail, posts: of }) => of.map(({ post }) => `${detail.pid},${post.post_id}`))
      await writeFile(postsFile, ['pid,post_id', ...posts, ''].join('\n'))
      const expected = () =>
        new Map(truths().map((truth) => [truth.detail.pid, textOf(expectedRows([truth], []))] as const))

      const first = await snapshotKilledAfter(null, sandbox, env, ['--posts-file', postsFile])
      expect(first).toMatchObject({ code: 0 })
      let old = expected()
      const loaded = await readStored(env)
      expect(loaded.projects).toEqual(old)

      let running = first.duration
      let lastRun = loaded.runs.at(-1)?.run_id
      const ends = { read: 0, some: 0, all: 0 }
      for (let kill = 1; kill <= KILLS[lane.name]; kill++) {
        const where = `kill ${kill} of ${KILLS[lane.name]}, COLLAB_TEST_KILL_SEED=${seed}`
        for (const pid of sandbox.pids) if (random() < 0.5) changeProject(sandbox, pid, kill)
        const [user] = sandbox.store.users
        if (user) sandbox.store.changeUser(user.uid, (of) => Object.assign(of, { name: `Name ${kill}` }))
        const now = expected()
        const { ended, duration } = await snapshotKilledAfter(random() * running, sandbox, env, ALL)
        if (ended) running = duration

        const { projects, runs, ...stored } = await readStored(env)
        // killed before it had begun, it has published nothing: the newest run is one before
        const published = runs.at(-1)?.run_id === lastRun ? new Set() : stored.published
        lastRun = runs.at(-1)?.run_id
        const wrong = sandbox.pids.filter((pid) => projects.get(pid) !== (published.has(pid) ? now : old).get(pid))
        expect(wrong, `projects that are neither old nor new, ${published.size} published, after ${where}`).toEqual([])
        expect(
          runs.slice(0, -1).filter(({ status }) => status !== 'interrupted' && status !== 'succeeded'),
          where,
        ).toEqual([])
        old = new Map(sandbox.pids.map((pid) => [pid, projects.get(pid) ?? '']))
        ends[published.size === 0 ? 'read' : published.size < sandbox.pids.length ? 'some' : 'all'] += 1
      }
      // else the kills have not met what they were for
      expect(ends.some, `kills between the first and the last project, of ${JSON.stringify(ends)}`).toBeGreaterThan(
        KILLS[lane.name] / 10,
      )

      expect(await snapshotKilledAfter(null, sandbox, env, ALL)).toMatchObject({ code: 0 })
      await using clean = await lane.open()
      expect(await snapshotKilledAfter(null, sandbox, clean.env, ['--posts-file', postsFile])).toMatchObject({
        code: 0,
      })
      const tables = Object.keys(expectedRows(truths(), sandbox.store.personalWebhooks))
      const [stored, fresh] = [await warehouseRows(env, tables), await warehouseRows(clean.env, tables)]
      for (const table of tables) {
        expect([table, asLines(stored[table] ?? [])]).toEqual([table, asLines(fresh[table] ?? [])])
      }
      const ledger = await run('collab-extract', ['runs', '--json', '--limit', '100'], { env })
      expect([ledger.code, ledger.stdout.includes('"running"')]).toEqual([0, false])
    } finally {
      await sandbox.close()
    }
  }, 600_000)
})
