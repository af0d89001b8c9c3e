import { offeredRows } from '@collab-etl/harness/offered-truth'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import { asLines, warehouseRows } from '@collab-etl/harness/warehouse-rows'
import type { CommentRecord } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

const SIZES = { projects: 2, tasks: 12, archived: 6, pages: 6, posts: 6, events: 4, extended: true }

/** Live rows, without projects that only the list of a team shows, and what their members' rows are of. */
async function expectWhole(at: World): Promise<void> {
  const wanted = offeredRows(at.sandbox)
  const found = await warehouseRows(at.env, Object.keys(wanted))
  for (const [table, rows] of Object.entries(wanted)) {
    const held = (found[table] ?? []).filter((row) => table !== 'projects' || row['permission'] !== 0)
    expect(asLines(held), table).toEqual(asLines(rows))
  }
}

/** Projects in which a stream has a scope, by status. */
const statuses = (ran: { of(stream: string): { status: string }[] }, stream: string) =>
  ran.of(stream).map(({ status }) => status)

describe('a service that offers everything', { tags: 'thorough' }, () => {
  test('is stored whole, by one process and by workers', async () => {
    await using at = await openWorld(SIZES)
    const [pid = ''] = at.sandbox.pids
    at.sandbox.store.change(pid, ({ entries }) => {
      const created_at = '2024-01-02T03:04:05.000Z'
      entries.push({ entry_id: 'empty', name: 'Nothing to do', created_at, updated_at: created_at, pos: 1 })
    })
    expect(await at.snapshot()).toMatchObject({ code: 0, status: 'succeeded' })
    await expectWhole(at)
    const [[capabilities, owner] = []] = await at.rows(`SELECT capabilities, accounts #>> '{0,uid}' FROM collab.runs`)
    expect(new Set(Object.values(capabilities as object))).toEqual(new Set([true]))
    expect(owner).toBe(at.sandbox.store.caller.uid)
    if (!isThorough() || !('DATABASE_URL' in at.env)) return
    await at.script('DROP SCHEMA collab, collab_history, collab_stage CASCADE')
    expect(await at.snapshot('--workers', '2')).toMatchObject({ code: 0, status: 'succeeded' })
    await expectWhole(at)
  })

  test('what leaves a list is marked deleted, and what is not offered any more is kept', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    const [pid = ''] = at.sandbox.pids
    const { posts, members, entries } = at.sandbox.store.truth(pid)
    const [post, member, entry] = [posts[0]?.post.post_id, members.at(-1)?.uid, entries.at(-1)?.entry_id]
    at.sandbox.store.change(pid, (project) => {
      project.posts = project.posts.filter((each) => each.post.post_id !== post)
      project.members = project.members.filter(({ user }) => user.uid !== member)
      project.entries = project.entries.filter((each) => each.entry_id !== entry)
      for (const list of [project.tasks, project.archived_tasks])
        for (const task of list) if (task.entry_id === entry) Object.assign(task, { entry_id: '', entry_name: '' })
    })
    const live = async () => {
      const keys = [
        `posts WHERE post_id = '${post}'`,
        `project_members WHERE uid = '${member}'`,
        `entries WHERE entry_id = '${entry}'`,
      ]
      const [found = []] = await at.rows(
        `SELECT ${keys.map((of) => `(SELECT count(*)::int FROM collab.${of} AND deleted_at IS NULL)`).join()}`,
      )
      return found
    }
    at.sandbox.setExtended(false)
    const withdrawn = await at.snapshot()
    expect(withdrawn.code).toBe(0)
    for (const stream of ['members', 'entries', 'task_comments']) {
      expect(statuses(withdrawn, stream), stream).toEqual(['carried', 'carried'])
    }
    expect((await live())[2]).toBe(1)
    at.sandbox.setExtended(true)
    expect(await at.snapshot('--allow-shrink')).toMatchObject({ code: 0, status: 'succeeded' })
    expect(await live()).toEqual([0, expect.any(Number), 0])
    await expectWhole(at)
  })

  testThoroughly('compare reads it again and names what differs', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    expect(await at.json('compare')).toMatchObject({ code: 0, status: 'same' })
    const [pid = ''] = at.sandbox.pids
    const { task_comments, tasks } = at.sandbox.store.truth(pid)
    const tid = tasks.find(({ badges }) => badges.comment_count > 0)?.tid ?? ''
    const comments = structuredClone(task_comments[tid] ?? []) as CommentRecord[]
    at.sandbox.store.change(pid, (project) => {
      project.members.pop()
      const [entry] = project.entries
      if (entry) entry.pos = 77
      project.task_comments[tid] = comments.map((comment) => ({ ...comment, raw_message: 'edited' }))
    })
    const ran = await at.json('compare')
    expect(ran).toMatchObject({ code: 5, status: 'different' })
    const differing = ran.scopes.filter(({ status }: { status: string }) => status === 'different')
    expect(differing.map(({ stream }: { stream: string }) => stream).sort()).toEqual(
      expect.arrayContaining(['entries', 'members', 'task_comments']),
    )
    expect(await at.snapshot('--allow-shrink')).toMatchObject({ code: 0 })
    expect(await at.json('compare')).toMatchObject({ code: 0, status: 'same' })
  })

  testThoroughly('compare finds changed teams, projects of teams, and a new post that only the list has', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    const { store, pids } = at.sandbox
    const ofTeam = store.projects.map(({ reference }) => reference.pid).find((pid) => !pids.includes(pid)) ?? ''
    store.change(ofTeam, ({ reference }) => {
      reference.name = 'Renamed'
    })
    store.changeTeams(([team]) => {
      if (team) team.name = 'Renamed'
    })
    store.change(at.pid, ({ posts }) => {
      const [first] = posts
      if (first) posts.push({ ...first, post: { ...first.post, post_id: 'new' } })
    })
    const ran = await at.json('compare')
    expect(ran).toMatchObject({ code: 5, status: 'different' })
    const found = ran.scopes.flatMap(({ differences }: { differences: object[] }) => differences)
    expect(found).toEqual(
      expect.arrayContaining([
        { table: 'teams', kind: 'changed', key: { team_id: expect.any(String) }, columns: ['name'] },
        { table: 'projects', kind: 'changed', key: { pid: ofTeam }, columns: ['name'] },
        { table: 'posts', kind: 'missing', key: { post_id: 'new' }, columns: [] },
      ]),
    )
    expect((await at.snapshot()).code).toBe(0)
    expect(await at.json('compare')).toMatchObject({ code: 0, status: 'same' })
  })

  testThoroughly('compare says what the service no longer offers', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    const { faults } = at.sandbox
    faults.add({ kind: 'http', status: 404, operation: 'tasks.comments.list', times: 'always' })
    faults.add({ kind: 'http', status: 404, operation: 'teams.list', times: 'always' })
    const ran = await at.json('compare')
    expect(ran).toMatchObject({ code: 0, status: 'same' })
    expect(statuses(ran, 'task_comments')).toEqual(['unverified', 'unverified'])
    expect(ran.scope('teams')).toMatchObject({
      status: 'unverified',
      note: expect.stringContaining('no longer offers'),
    })
    faults.clear()
    at.sandbox.setExtended(false)
    await at.snapshot()
    const { code, stdout } = await at.extract(['compare'])
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('the service no longer offers it, so it was not compared'),
    ])
    expect(await at.json('compare', '--extended', 'off')).toMatchObject({ code: 0, status: 'same' })
  })

  testThoroughly('--extended off asks for nothing of it, and keeps what is stored', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    const before = (await at.rows('SELECT count(*)::int FROM collab.entries WHERE deleted_at IS NULL'))[0]
    const ran = await at.snapshot('--extended', 'off')
    expect(ran.code).toBe(0)
    expect(at.sandbox.requests.filter(({ path }) => /members|\/v1\/entries|\/v1\/teams|profile/.test(path))).toEqual([])
    expect((await at.rows('SELECT count(*)::int FROM collab.entries WHERE deleted_at IS NULL'))[0]).toEqual(before)
  })

  testThoroughly('a token of another user is refused before anything is read, unless --accept-account', async () => {
    await using at = await openWorld(SIZES)
    await at.snapshot()
    await at.script(
      `UPDATE collab.runs SET accounts = '[{"account": "default", "uid": "another", "name": "Somebody Else"}]'`,
    )
    const { code, stderr } = await at.extract(['snapshot'])
    expect([code, stderr]).toEqual([2, expect.stringContaining('that of the last run to Somebody Else (another)')])
    expect((await at.snapshot('--accept-account')).code).toBe(0)
    expect((await at.snapshot()).code).toBe(0)
  })
})
