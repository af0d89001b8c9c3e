import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { embedded, openWorld } from './world.ts'

describe('a whole snapshot', () => {
  test('says what it read, and the next one that nothing changed', { tags: 'thorough' }, async () => {
    await using at = await openWorld()
    const { sandbox } = at
    const first = await at.extract(['snapshot', '--json'])
    expect(first).toMatchObject({ code: 0 })
    const document = JSON.parse(first.stdout)
    const run = { level: 'info', run_id: document.run_id }
    expect(
      first.stderr
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toMatchObject([
      { ...run, msg: 'run started', base_url: sandbox.baseUrl },
      ...sandbox.pids.map(() => ({ ...run, msg: expect.stringMatching(/^project \w+ stored$/) })),
      { ...run, msg: 'run ended', status: 'succeeded', requests: document.requests },
    ])
    expect(document).toMatchObject({
      status: 'succeeded',
      projects: { total: expect.any(Number), partial: 0, failed: 0 },
      retries: 0,
      losses: 0,
      losses_by_kind: {},
      not_whole: [],
      error: null,
    })
    const truths = sandbox.pids.map((pid) => sandbox.store.truth(pid))
    const tasks = truths.reduce((sum, truth) => sum + truth.tasks.length + truth.archived_tasks.length, 0)
    expect(document.rows.tasks).toEqual({ read: tasks, inserted: tasks, updated: 0, deleted: 0 })
    expect(document.requests).toBe(sandbox.requests.length)
    expect(document.scopes).toContainEqual({
      pid: sandbox.pids[0],
      stream: 'tasks',
      status: 'complete',
      pages: 1,
      error: null,
      read: truths[0]?.tasks.length,
      carried: 0,
      carried_since: null,
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const [logged] = await at.query(
      'SELECT run_id, status, requests, extract(epoch FROM finished_at - started_at)::float8 AS took FROM collab.runs',
    )
    expect(logged).toMatchObject({ run_id: document.run_id, status: 'succeeded', requests: document.requests })
    expect(document.duration_ms, 'the duration that `runs` shows').toBe(Math.round(Number(logged?.['took']) * 1000))

    const again = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)
    for (const { inserted, updated, deleted } of Object.values<Record<string, number>>(again.rows)) {
      expect([inserted, updated, deleted]).toEqual([0, 0, 0])
    }
    expect(again.rows.tasks.read).toBe(tasks)
  })

  test('tells a person what was read, where it is, and how to look at it', async () => {
    await using at = await openWorld({}, embedded)
    const { code, stdout } = await at.extract(['snapshot'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^Snapshot \S+ succeeded in /)
    expect(stdout).toMatch(/^tasks +50 +50 +0 +0$/m)
    expect(stdout).toMatch(/^Posts: \d+ known, \d+ read/m)
    expect(stdout).toMatch(/^Warehouse: .*data.*, schema collab$/m)
    expect(stdout).not.toContain('Incomplete:')
    const line = /^Look at it: (?:npx --no-install )?collab-extract (.*) "(.*)"$/m.exec(stdout)
    const query = await at.extract([...(line?.[1] ?? '').split(' '), line?.[2] ?? ''])
    expect(query).toMatchObject({ code: 0, stderr: '' })
    expect(query.stdout).toContain(at.sandbox.pids[0])
  })
})

describe('a part of a snapshot', () => {
  test('--project and --streams read nothing else', { tags: 'thorough' }, async () => {
    await using at = await openWorld()
    const [first = '', second = ''] = at.sandbox.pids
    const ran = await at.extract(['snapshot', '--json', '--project', first, second, '--streams', 'tasks,pages'])
    const { scopes, projects } = JSON.parse(ran.stdout)
    expect(ran.code).toBe(0)
    expect(projects).toMatchObject({ total: 2, complete: 2 })
    const read = scopes.filter(({ pid }: { pid: string | null }) => pid !== null)
    expect(read.map(({ pid, stream }: Record<string, string>) => `${pid} ${stream}`).sort()).toEqual(
      [first, second].flatMap((pid) => [`${pid} pages`, `${pid} tasks`]).sort(),
    )
    const operations = new Set(at.sandbox.requests.flatMap(({ operation }) => operation ?? []))
    expect([...operations].sort()).toEqual(['pages.list', 'projects.list', 'tasks.list'])
  })

  test('without any project that exists, no run begins, exit 2', async () => {
    await using at = await openWorld({}, embedded)
    const ran = await at.extract(['snapshot', '--project', 'nowhere', '--project', 'typo'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^[^\n]*--project: the service has none of the projects nowhere, typo[^\n]*\n$/)
    expect(await at.query('SELECT run_id FROM collab.runs')).toEqual([])
  })

  test('a project that the token does not see is a failed scope; the others are stored', {
    tags: 'thorough',
  }, async () => {
    await using at = await openWorld()
    const [pid = ''] = at.sandbox.pids
    const ran = await at.extract(['snapshot', '--project', pid, '--project', 'nowhere'])
    expect(ran.code).toBe(3)
    expect(ran.stdout).toContain('nowhere: projects failed: the token sees no project nowhere')
    const lines = ran.stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.flatMap((line) => line.pid ?? []).sort()).toEqual([pid, 'nowhere'].sort())
    expect(lines.map(({ msg }) => msg)).toContain('project nowhere not read: the token sees no project nowhere')
    expect(await at.query('SELECT pid FROM collab.projects')).toEqual([{ pid }])
  })
})

describe('posts, which the service does not list', () => {
  test('are read when a flag or a file names them, and known from then on', { tags: 'thorough' }, async () => {
    await using at = await openWorld()
    const named = at.sandbox.pids.flatMap((pid) =>
      at.sandbox.store.truth(pid).unlinked_posts.map((id) => ({ pid, id })),
    )
    const [byFlag, ...byFile] = named
    if (byFlag === undefined || byFile.length === 0) throw new Error('the sandbox has too few unlinked posts')
    await writeFile(
      join(at.path, 'posts.csv'),
      ['pid,post_id', ...byFile.map(({ pid, id }) => `${pid},${id}`)].join('\n'),
    )

    const before = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)
    const flags = ['--post', `${byFlag.pid}:${byFlag.id}`, `${byFlag.pid}:none`, '--posts-file', 'posts.csv']
    const ran = JSON.parse((await at.extract(['snapshot', '--json', ...flags])).stdout)
    const { known, read, gone } = before.posts
    expect(ran.posts).toMatchObject({
      known: known + named.length + 1,
      read: read + named.length,
      gone: 1,
      waiting: gone,
    })
    expect(ran.rows.posts.inserted).toBe(named.length)

    const sources = await at.query(
      "SELECT source, count(*)::int AS n FROM collab.known_posts WHERE source IN ('flag', 'file') GROUP BY 1",
    )
    expect(sources.sort((a, b) => (String(a['source']) < String(b['source']) ? -1 : 1))).toEqual([
      { source: 'file', n: byFile.length },
      { source: 'flag', n: 2 },
    ])
    const after = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)
    expect(after.posts.read).toBe(ran.posts.read)
  })
})
