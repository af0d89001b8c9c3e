import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { onBackendsOfSlowTests, openWorld } from './world.ts'

const SIZES = { projects: 1, tasks: 4, archived: 2, pages: 1, posts: 4, events: 0 }

onBackendsOfSlowTests('what a service offers beyond its documented operations', (open) => {
  testThoroughly('is carried while none of it is offered any more', async () => {
    await using of = await openWorld({ ...SIZES, extended: ['members'] }, open)
    const { sandbox, snapshot, rows } = of
    const members = () => rows('SELECT uid FROM collab.live_project_members ORDER BY uid')
    await snapshot()
    const before = await members()
    expect(before).not.toEqual([])
    sandbox.setExtended(false)
    for (const _night of [1, 2]) {
      const run = await snapshot()
      expect(run).toMatchObject({ code: 0, status: 'succeeded' })
      expect(run.scope('members')).toMatchObject({ status: 'carried', error: { code: 'NOT_OFFERED' } })
    }
    expect(await members()).toEqual(before)
  })

  test('comes back, and comments of tasks that went meanwhile are marked deleted', async () => {
    await using of = await openWorld({ ...SIZES, extended: ['task-comments'] }, open)
    const { sandbox, pid, snapshot, rows } = of
    const [tid] = sandbox.store.truth(pid).tasks.map((task) => task.tid)
    const setCount = (count: number) =>
      sandbox.store.change(pid, ({ tasks, archived_tasks }) => {
        for (const task of [...tasks, ...archived_tasks])
          task.badges.comment_count = task.tid === tid ? count : task.badges.comment_count
      })
    const comments = async () =>
      (await rows(`SELECT cid FROM collab.live_task_comments WHERE pid = '${pid}' AND tid = '${tid}'`)).length
    setCount(2)
    await snapshot()
    expect(await comments()).toBe(3)
    sandbox.setExtended(false)
    expect((await snapshot()).scope('task_comments')).toMatchObject({ status: 'carried' })
    setCount(0)
    await snapshot()
    expect(await comments()).toBe(3)
    sandbox.setExtended(['task-comments'])
    expect((await snapshot()).scope('task_comments')).toMatchObject({ status: 'complete' })
    // the note of the service itself
    expect(await comments()).toBe(1)
  })

  testThoroughly('teams that no longer list their projects prove nothing of these', async () => {
    await using of = await openWorld({ ...SIZES, projects: 2, extended: ['teams'] }, open)
    const { sandbox, snapshot, rows } = of
    const ofTeams = () => rows('SELECT pid FROM collab.live_projects WHERE only_in_team IS NOT NULL ORDER BY pid')
    await snapshot()
    const before = await ofTeams()
    expect(before).not.toEqual([])
    sandbox.faults.add({ kind: 'http', status: 404, operation: 'teams.projects.list', times: 'always' })
    const run = await snapshot('--allow-shrink')
    expect(run).toMatchObject({ code: 0, status: 'succeeded' })
    expect(run.scope('teams')).toMatchObject({ status: 'complete' })
    expect(await ofTeams()).toEqual(before)
  })
})
