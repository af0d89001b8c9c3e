import { dirname } from 'node:path'
import { run } from '@collab-etl/harness/commands'
import { testThoroughly, times } from '@collab-etl/harness/thorough'
import { drawsNewCases } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { backupOf, groupsIn, startSource, useExtendedWorld } from './restore-further-world.ts'
import { addBackup, ownBackup } from './restore-sandboxes.ts'

const { world, targetWith, restore, expectWhole } = useExtendedWorld()

describe('a restore of all that a service offers,', () => {
  testThoroughly('killed in the middle, and again, resumes and creates nothing twice', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    const args = ['restore', world.bag, '--to-project', target.pid, '--archived-tasks', '--settle', '0']
    const env = { COLLAB_BASE_URL: target.sandbox.baseUrl, COLLAB_TOKEN: target.sandbox.token }
    for (const operation of ['entries.create', 'tasks.comments.create', 'events.create']) {
      let kill = () => {}
      const stop = target.sandbox.beforeRequest(async (info) => {
        if (info.operation !== operation) return
        stop()
        kill()
      })
      const killed = await run('collab-export', args, {
        env,
        onStart: (started) => (kill = () => started.kill('SIGKILL')),
      })
      expect(killed.signal, operation).toBe('SIGKILL')
    }
    const ended = await run('collab-export', args, { env })
    expect({ code: ended.code, stdout: ended.stdout }).toMatchObject({ code: 0 })
    expectWhole(target, before)
  })

  test('after lost answers looks first, and creates nothing twice', async () => {
    const target = await targetWith(true)
    const before = groupsIn(target)
    for (const operation of [
      'entries.create',
      'tasks.members.add',
      'tasks.todos.create',
      'tasks.comments.create',
      'posts.comments.create',
      'events.create',
    ] as const) {
      target.sandbox.faults.add({ kind: 'reset', operation, processed: true })
      target.sandbox.faults.add({ kind: 'reset', operation })
    }
    expect(await restore(target)).toMatchObject({ notRestored: [], unknown: [], inexact: [] })
    expectWhole(target, before)
  })

  test('does not repeat a comment that a list which may be cut does not show', async () => {
    const many = await startSource()
    onTestFinished(() => many.close())
    many.store.change(world.pid, ({ posts }) => {
      const [comment] = posts.flatMap(({ comments }) => comments)
      for (const { comments } of posts) comments.splice(0)
      const copy = (_: unknown, index: number) => ({
        ...structuredClone(comment),
        cid: `copy ${index}`,
        raw_message: `${index}`,
      })
      posts[0]?.comments.push(...(Array.from({ length: 25 }, copy) as never[]))
    })
    world.bag = await addBackup(dirname(world.bag), '20260102T000000Z', await backupOf(many))
    const target = await targetWith(true, ['comments-cap=20'])
    target.sandbox.faults.add({ kind: 'reset', operation: 'posts.comments.create', processed: true, skip: 22 })
    const { unknown, notCompared, notRestored } = await restore(target)
    expect(unknown).toMatchObject([{ kind: 'post_comment', why: 'possibly capped at 20' }])
    expect(notCompared.map(({ kind }) => kind)).toEqual(Array(4).fill('post_comment'))
    expect(notRestored).toEqual([])
    const held = target.sandbox.store.truth(target.pid).posts.flatMap(({ comments }) => comments)
    expect(held).toHaveLength(25)
  })
})

const OPERATIONS = [
  'entries.create',
  'tasks.create',
  'tasks.expire',
  'tasks.labels.add',
  'tasks.members.add',
  'tasks.todos.create',
  'tasks.todos.check',
  'tasks.comments.create',
  'tasks.complete',
  'tasks.archive',
  'posts.comments.create',
  'events.create',
] as const

test('any sequence of interruptions and lost answers writes each value once', {
  tags: 'thorough',
  timeout: 300_000,
}, async () => {
  const fault = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    kind: fc.constantFrom('reset', 'truncate', 'http', 'error', 'error_in_200', 'invalid_json', 'empty'),
    processed: fc.boolean(),
    skip: fc.nat({ max: 3 }),
  })
  const runs = fc.array(fc.record({ faults: fc.array(fault, { maxLength: 4 }), until: fc.nat({ max: 30 }) }), {
    maxLength: 3,
  })
  await fc.assert(
    fc.asyncProperty(runs, async (interrupted) => {
      const target = await targetWith(true)
      const before = groupsIn(target)
      world.bag = await ownBackup(world.original)
      for (const { faults, until } of interrupted) {
        for (const each of faults) target.sandbox.faults.add(each)
        const controller = new AbortController()
        const onItem = (done: number) => done >= until && controller.abort()
        await restore(target, { onItem, signal: controller.signal }).catch(() => {})
        target.sandbox.faults.clear()
      }
      expect(await restore(target)).toMatchObject({ notRestored: [], unknown: [], inexact: [], notCompared: [] })
      expectWhole(target, before, true)
    }),
    { numRuns: times(2, 40), ...(drawsNewCases() ? {} : { seed: 1 }) },
  )
})
