/** @module-tag thorough */

import { cp, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ran, run, type Started } from '@collab-etl/harness/commands'
import { randomFrom } from '@collab-etl/harness/random'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import {
  addBackup,
  bagOf,
  carriedOf,
  emptySandbox,
  fullSandbox,
  type Given,
  newIds,
  restoreInto,
} from './restore-sandboxes.ts'

const KILLS = times(2, 20)

/** Each kill is a process of its own. */
const TIMEOUT_MS = 300_000

/** Another seed kills at other moments. */
const SEED = Number(process.env['RESTORE_KILLS_SEED'] ?? 1)

test(`killed ${KILLS} times (seed ${SEED}), a restore resumes without duplicates or gaps`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const from = await fullSandbox({ pages: 30, posts: 10, tasks: 12 })
  onTestFinished(() => from.close())
  const { sandbox, pid, entry } = await emptySandbox()
  const bag = join(await scratch(), '20260101T000000Z')
  await cp(await bagOf(from), bag, { recursive: true })
  const env = { COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token }
  const args = ['restore', bag, '--to-project', pid, '--entry', entry, '--provenance', '--settle', '0', '--json']
  const cwd = await scratch()
  const random = randomFrom(SEED)

  /**
   * Runs the restore and kills it around one of its first creations: before, during, or after its answer.
   * Creations after that one wait for the kill, so that a fast machine does not finish the restore before the last kill.
   */
  async function killed(): Promise<Ran> {
    let creations = 0
    let child: Started | undefined
    const [at, delay, isHeld] = [Math.floor(random() * 3), random() * 12, random() < 0.5]
    const dead = Promise.withResolvers<void>()
    const stop = sandbox.beforeRequest(async ({ operation }) => {
      if (!operation.endsWith('.create')) return
      const creation = creations++
      if (creation < at) return
      if (creation > at) return dead.promise
      const kill = () => {
        child?.kill('SIGKILL')
        dead.resolve()
      }
      if (isHeld) kill()
      else setTimeout(kill, delay)
      await sleep(isHeld ? delay : 0)
    })
    const ran = await run('collab-export', args, { cwd, env, onStart: (started) => (child = started) })
    stop()
    return ran
  }

  for (let kill = 1; kill <= KILLS; kill++) {
    const { signal, stderr } = await killed()
    expect({ kill, signal, stderr }).toEqual({ kill, signal: 'SIGKILL', stderr: '' })
  }

  // Unknown outcomes are reported, and answered by looking into the service.
  const first = await run('collab-export', args, { cwd, env })
  const { unknown, journal } = JSON.parse(first.stdout)
  const known = new Set((await newIds(journal)).values())
  const titles = new Map(from.store.truth(from.pids[0] ?? '').posts.map(({ post }) => [post.post_id, post]))
  const strangers = sandbox.store.truth(pid).posts.filter(({ post }) => !known.has(post.post_id))
  const assumed = unknown.flatMap(({ kind, id }: { kind: string; id: string }) => {
    expect(kind).toBe('post')
    const { name, content } = titles.get(id) ?? {}
    const place = strangers.findIndex(({ post }) => post.name === name && post.content === content)
    const [found] = place === -1 ? [] : strangers.splice(place, 1)
    return ['--assume', `post:${id}=${found ? `created:${found.post.post_id}` : 'not-created'}`]
  })
  const last = await run('collab-export', [...args, ...assumed], { cwd, env })
  expect({ code: last.code, stderr: last.stderr }).toEqual({ code: 0, stderr: '' })

  expect(strangers).toEqual([])
  expect(await carriedOf(await bagOf(sandbox))).toEqual(await carriedOf(bag, await newIds(journal)))
  const comments = Object.values(sandbox.store.project(pid).task_comments)
  expect(comments.map((ofTask) => ofTask.length)).toEqual(Array(12).fill(1))
  // the journal has the outcome of every call except the unknown ones
  expect(await readFile(journal, 'utf8')).not.toContain(sandbox.token)
})

const STEP = fc.oneof(
  fc.record({ does: fc.constant('interrupt' as const), after: fc.integer({ min: 1, max: 12 }) }),
  fc.record({
    does: fc.constant('lose' as const),
    of: fc.constantFrom('pages.create' as const, 'tasks.create' as const),
  }),
  fc.record({ does: fc.constant('backup' as const), name: fc.string({ minLength: 1, maxLength: 3 }) }),
  fc.record({ does: fc.constant('older' as const) }),
)

test('any sequence of interruptions, lost answers and newer backups creates each record once', {
  timeout: TIMEOUT_MS,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { maxLength: 6 }), async (steps) => {
      const target = await emptySandbox()
      const from = await fullSandbox({ pages: 3, posts: 1, tasks: 3 })
      const [pid = ''] = from.pids
      const nameOf = (number: number) => `202601${number + 10}T000000Z`
      const oldest = await addBackup(await scratch(), nameOf(0), await bagOf(from))
      const restore = (given: Given = {}) => restoreInto(target, dirname(oldest), given)
      let made = 0
      for (const step of steps) {
        if (step.does === 'interrupt') {
          const controller = new AbortController()
          const onItem = (done: number) => done === step.after && controller.abort()
          await restore({ onItem, signal: controller.signal }).catch(() => {})
        } else if (step.does === 'lose') {
          target.sandbox.faults.add({ kind: 'reset', operation: step.of, processed: true, times: 1 })
        } else if (step.does === 'older') {
          await restoreInto(target, oldest)
        } else {
          made += 1
          from.store.change(pid, ({ pages, tasks }) => {
            const id = `made${made}`
            pages.push({ ...structuredClone(pages[0]), page_id: id, parent_id: '', name: step.name } as never)
            tasks.push({ ...structuredClone(tasks[0]), tid: id, name: step.name } as never)
          })
          await addBackup(dirname(oldest), nameOf(made), await bagOf(from))
        }
      }
      const { notRestored, unknown } = await restore()
      await from.close()
      const { pages, posts, tasks } = target.sandbox.store.truth(target.pid)
      expect({ notRestored, unknown, held: [pages.length, posts.length, tasks.length] }).toEqual({
        ...{ notRestored: [], unknown: [], held: [3 + made, 1, 3 + made] },
      })
    }),
    { numRuns: times(3, 40) },
  )
})
