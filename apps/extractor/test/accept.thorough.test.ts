/** @module-tag thorough */

/** @module-tag thorough */
import { expect, test } from 'vitest'
import { openWorld } from './world.ts'

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)
const TODAY = new Date().toISOString().slice(0, 10)

test('a post that fails for good is accepted until a date, by a command that can be taken back', async () => {
  await using world = await openWorld({ projects: 2, tasks: 3, archived: 0, pages: 2, posts: 3, events: 0, retries: 0 })
  const { pid, sandbox, snapshot, named, rows } = world
  const accept = async (...args: string[]) => {
    const { code, stdout, stderr } = await world.extract(['accept', ...args])
    return { code, text: `${stdout}${stderr}`.trim() }
  }
  expect(await snapshot(...named)).toMatchObject({ code: 0, accepted: [] })
  const [bad = '', other = ''] = sandbox.store.truth(pid).posts.map(({ post }) => post.post_id)
  const fail = (id: string) =>
    sandbox.faults.add({ kind: 'error', operation: 'posts.get', where: { post_id: id }, times: 'always' })
  const fault = fail(bad)
  expect(await snapshot()).toMatchObject({ code: 3, status: 'partial' })

  // refused: each by one line that says what to type
  const flags = ['--until', TOMORROW, '--reason', 'ticket 4711']
  for (const [args, says] of [
    [['--scope', `${pid}/posts/${bad}`, '--until', '2024-01-01', '--reason', 'x'], /in the past/],
    [['--scope', `${pid}/post/${bad}`, ...flags], /did you mean posts\?/],
    [['--scope', `${pid}/posts/${other}`, ...flags], new RegExp(`read that item; what failed: ${pid}/posts/${bad},`)],
    [['--scope', `nowhere/posts`, ...flags], new RegExp(`has no such scope; what failed: ${pid}/posts/${bad}`)],
    [['--scope', `${pid}/posts/${bad}`, '--until', TOMORROW], /--reason/],
    [['--scope', `${pid}/posts/${bad}`], /--until/],
    [['--scope', `${pid}/posts/${bad}`, '--until', TODAY], /was not accepted/],
    [['no-such-run', '--scope', `${pid}/posts/${bad}`, ...flags], /no run has the id/],
  ] as const) {
    const refused = await accept(...args)
    expect(refused).toMatchObject({ code: 2, text: expect.stringMatching(says) })
    expect(refused.text.split('\n')).toHaveLength(1)
  }

  expect(await accept('--scope', `${pid}/posts/${bad}`, ...flags)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/is accepted until .*counts as succeeded/),
  })
  expect(await rows('SELECT status FROM collab.runs ORDER BY started_at DESC LIMIT 1')).toEqual([['succeeded']])
  expect((await accept()).text).toMatch(
    new RegExp(`${pid}/posts/${bad} +${TOMORROW} +\\S+@\\S+ +${TODAY} +ticket 4711`),
  )
  const whole = await snapshot()
  expect(whole).toMatchObject({
    ...{ code: 0, status: 'succeeded', not_whole: [], accepted_unneeded: [] },
    accepted: [
      { stream: 'posts', status: 'partial', accepted: [{ scope: `${pid}/posts/${bad}`, reason: 'ticket 4711' }] },
    ],
  })
  expect((await world.extract(['snapshot'])).stdout).toContain('Accepted failures:')
  expect((await world.extract(['runs', 'latest'])).stdout).toContain(`until ${TOMORROW}: ticket 4711`)
  // what was not read stays as it was
  expect(await rows(`SELECT count(*)::int FROM collab.posts WHERE post_id = '${bad}' AND deleted_at IS NULL`)).toEqual([
    [1],
  ])

  // another item is not accepted
  const second = fail(other)
  expect(await snapshot()).toMatchObject({ code: 3, accepted: [], not_whole: [{ stream: 'posts' }] })
  second.remove()
  // nor is a service that answers nothing
  expect((await world.extract(['snapshot'], { env: { COLLAB_TOKEN: 'wrong' } })).code).toBe(4)

  fault.remove()
  expect(await snapshot()).toMatchObject({
    code: 0,
    accepted: [],
    accepted_unneeded: [{ scope: `${pid}/posts/${bad}` }],
  })
  expect((await world.extract(['snapshot'])).stdout).toContain(
    `The accepted failure ${pid}/posts/${bad} no longer occurs: remove it`,
  )
  fail(bad)
  expect(await snapshot()).toMatchObject({ code: 0, accepted: [{ stream: 'posts' }] })
  expect(await accept('--scope', `${pid}/posts/${bad}`, '--until', TODAY)).toMatchObject({
    code: 0,
    text: expect.stringMatching(/no longer accepted; run \S+ is partial: see collab-extract runs \S+/),
  })
  expect((await accept()).text).toContain('No failure is accepted')
  expect(await snapshot()).toMatchObject({ code: 3, accepted: [] })

  // once it has ended, it counts no longer, and is named
  await accept('--scope', `${pid}/posts/${bad}`, ...flags)
  await world.script("UPDATE collab.accepted_failures SET until = now() - interval '1 minute'")
  expect(await snapshot()).toMatchObject({ code: 3, accepted_ended: [{ scope: `${pid}/posts/${bad}` }] })
})
