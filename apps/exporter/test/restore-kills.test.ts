/** @module-tag thorough */

import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Ran, run, type Started } from '@collab-etl/harness/commands'
import { randomFrom } from '@collab-etl/harness/random'
import { scratch } from '@collab-etl/harness/scratch'
import { times } from '@collab-etl/harness/thorough'
import { expect, onTestFinished, test } from 'vitest'
import { bagOf, carriedOf, emptySandbox, fullSandbox, newIds } from './restore-sandboxes.ts'

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
