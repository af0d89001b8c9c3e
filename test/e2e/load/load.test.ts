import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backends } from '@collab-etl/harness/backends'
import { run } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { byCommand } from '@collab-etl/harness/warehouse-rows'
import { startSandbox } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { LoadPlace, lastRun, linesOf, load } from './place.ts'

const SMALL = { seed: 5, projects: 2, barred: 1, tasks: 12, archived: 10, pages: 6, posts: 3, events: 4 }

const ACCOUNTS =
  'SELECT to_jsonb(a)::text FROM accounts a UNION ALL SELECT to_jsonb(p)::text FROM project_accounts p ORDER BY 1'

/** On the first backend in `npm test`. */
describe.each(isThorough() ? backends() : backends().slice(0, 1))('load ($name)', (backend) => {
  test('two nights come back with their history, and only their service continues from them', {
    tags: 'thorough',
  }, async () => {
    const sandbox = await startSandbox({ ...SMALL, extended: true })
    try {
      await using place = await LoadPlace.open(backend, sandbox)
      await place.snapshot()
      const first = await lastRun(place.source)
      await place.backup('jsonl')
      const [pid = ''] = sandbox.pids
      sandbox.store.change(pid, (project) => {
        project.tasks.splice(0, 2)
        const [task] = project.tasks
        if (task) task.name = 'renamed'
        project.posts.splice(0, 1)
        project.pages.splice(-1, 1)
      })
      await place.snapshot()
      const second = await lastRun(place.source)
      await place.backup('jsonl')
      expect(await load(place.source, place.backups)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('is not empty'),
      })
      const env = await place.empty()
      const { code, stdout, stderr } = await load(env, place.backups)
      expect(stderr).not.toMatch(/ at .*\.ts:/)
      expect(code, stderr).toBe(0)
      expect(JSON.parse(stdout)).toMatchObject({
        base_url: sandbox.baseUrl,
        loaded: [{ read_at: first }, { read_at: second }],
        missing: [{ table: 'personal webhooks', fields: null }],
      })
      for (const at of [first, second]) expect(await linesOf(env, at), at).toEqual(await linesOf(place.source, at))
      const accounts = await byCommand(place.source, ACCOUNTS)
      expect(accounts).toContainEqual([expect.stringContaining('"account": "default"')])
      expect(await byCommand(env, ACCOUNTS)).toEqual(accounts)
      const again = { ...place.source, ...env }
      const other = { ...again, COLLAB_BASE_URL: sandbox.baseUrl.replace('127.0.0.1', 'localhost') }
      expect(await run('collab-extract', ['snapshot'], { env: other })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--rebind-service'),
      })
      const snapshot = await run('collab-extract', ['snapshot', '--json'], { env: again })
      expect(snapshot.code, snapshot.stderr).toBe(0)
      const { rows } = JSON.parse(snapshot.stdout) as { rows: Record<string, Record<string, number>> }
      const written = Object.entries(rows).filter(
        ([, { inserted = 0, updated = 0, deleted = 0 }]) => inserted + updated + deleted > 0,
      )
      expect(written.map(([table]) => table)).toEqual(['webhooks'])
    } finally {
      await sandbox.close()
    }
  })

  testThoroughly('a backup of damaged files is never a warehouse that looks whole', async () => {
    const sandbox = await startSandbox(SMALL)
    try {
      await using place = await LoadPlace.open(backend, sandbox)
      await place.snapshot()
      const backup = await place.backup('jsonl')
      const folder = join(backup, 'data/jsonl')
      const [project = ''] = await readdir(folder)
      const file = join(folder, project, 'files.jsonl')
      await appendFile(file, ' ')
      const env = await place.empty()
      expect(await load(env, backup)).toMatchObject({ code: 5, stderr: expect.stringContaining('files.jsonl') })
      const refused = { code: 2, stderr: expect.stringMatching(/is not whole.*load /) }
      for (const args of [['snapshot'], ['runs'], ['query', 'SELECT 1']])
        expect(await run('collab-extract', args, { env: { ...place.source, ...env } }), args.join(' ')).toMatchObject(
          refused,
        )
      const out = join(place.path, 'other')
      const args = ['backup', '--out', out, '--from', 'warehouse']
      expect(await run('collab-export', args, { env })).toMatchObject(refused)
      expect(await load(env, place.path)).toMatchObject({ code: 2 })
      await rm(file)
      expect(await load(env, backup)).toMatchObject({ code: 5, stderr: expect.stringContaining('missing') })
    } finally {
      await sandbox.close()
    }
  })
})
