import { execFileSync } from 'node:child_process'
import { EXIT, type ExitCode } from '@collab-etl/cli'
import type { Reason } from '@collab-etl/contract/streams'
import type { Started } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { mayPass } from '../src/run/attempts.ts'
import { type Done, type StepName, statusOf } from '../src/run/steps.ts'
import { openWorld, type World } from './world.ts'

/** The last document of `snapshot` that the job's `--json` holds. */
function snapshotIn({ stdout }: { readonly stdout: string }) {
  return JSON.parse(stdout).snapshot
}

/** The title and the text of the messages that the watcher got at a path. */
function messagesAt({ watcher }: World, path: string): { title: string; text: string }[] {
  return watcher.received.filter((received) => received.path === path).map(({ body }) => JSON.parse(body))
}

describe('a night with attempts: 3', () => {
  const openAttempts = () =>
    openWorld((watcher) => ({
      formats: ['csv'],
      verify: 'off',
      attempts: 3,
      pause: '1s',
      ping: `${watcher}/uuid`,
      notify: [
        { url: `${watcher}/always`, when: 'always' },
        { url: `${watcher}/failure`, when: 'failure' },
      ],
    }))

  test('reads again what a 503 left incomplete, and is a success that says so', async () => {
    await using world = await openAttempts()
    world.sandbox.faults.add({ kind: 'http', operation: 'pages.list' })
    const ran = await world.night()
    expect(ran.code).toBe(0)
    const reason = /attempt 2 \(attempt 1: pages of .+ failed \(pages.list: .* HTTP 503/
    expect(ran.stdout).toMatch(new RegExp(`^ +snapshot +ok .*${reason.source}`, 'm'))
    expect(ran.stderr).toContain('snapshot partial: attempt 2 follows in 1s')
    expect(await world.nights()).toMatchObject([
      { outcome: 'whole', attempts: 2, steps: [{ failed_attempts: [{ exit_code: 3 }] }, {}] },
    ])
    const [message] = messagesAt(world, '/always')
    expect(message?.title).toMatch(/: everything was read and backed up, in 2 attempts$/)
    expect(message?.text).toMatch(new RegExp(`^snapshot: ${reason.source}`, 'm'))
    expect((await world.night(['status'])).stdout).not.toContain('failed:')
    expect(world.pings().sort()).toEqual(['/always', '/uuid/0', '/uuid/start'])
  })

  testThoroughly('resumes the run that failed', async () => {
    await using world = await openAttempts()
    world.sandbox.faults.add({ kind: 'http', operation: 'projects.list' })
    const ran = await world.night(['--json'])
    expect(ran.code).toBe(0)
    expect(snapshotIn(ran).resumed_run_id).not.toBeNull()
  })

  testThoroughly('resumes a run that was killed', async () => {
    await using world = await openAttempts()
    let night: Started | undefined
    const stop = world.sandbox.beforeRequest(({ operation }) => {
      if (operation !== 'pages.list') return
      stop()
      const children = execFileSync('pgrep', ['--parent', String(night?.pid)], { encoding: 'utf8' })
      process.kill(Number(children), 'SIGKILL')
    })
    const ran = await world.night(['--json'], { onStart: (started) => (night = started) })
    expect(ran.code).toBe(0)
    expect(snapshotIn(ran).resumed_run_id).not.toBeNull()
  })

  testThoroughly('ends with the last attempt, with one ping of its end', async () => {
    await using world = await openAttempts()
    world.sandbox.faults.add({ kind: 'http', operation: 'projects.list', times: 'always' })
    expect((await world.night(['--quiet'])).code).toBe(1)
    const [night] = await world.nights()
    expect(night).toMatchObject({
      attempts: 3,
      steps: [{ failed_attempts: [{ exit_code: 1 }, { exit_code: 1 }] }, {}],
    })
    expect(world.pings().sort()).toEqual(['/always', '/failure', '/uuid/1', '/uuid/start'])
  })

  testThoroughly('writes the backup of a partial snapshot, if the attempts after it fail', async () => {
    await using world = await openAttempts()
    world.sandbox.faults.add({ kind: 'http', operation: 'pages.list' })
    world.sandbox.faults.add({ kind: 'http', operation: 'projects.list', skip: 1, times: 'always' })
    expect((await world.night(['--quiet'])).code).toBe(3)
    expect(await world.nights()).toMatchObject([
      {
        attempts: 3,
        steps: [
          { status: 'partial', exit_code: 3, failed_attempts: [{ exit_code: 1 }, { exit_code: 1 }] },
          { name: 'backup', status: 'partial' },
        ],
      },
    ])
  })

  testThoroughly('does not try again with a token that is not accepted', async () => {
    await using world = await openAttempts()
    const ran = await world.night(['--json'], { env: { COLLAB_TOKEN: 'a-wrong-token' } })
    expect([ran.code, JSON.parse(ran.stdout).attempts]).toEqual([4, 1])
  })
})

testThoroughly('SIGTERM in the pause ends the night at once', async () => {
  await using world = await openWorld((watcher) => ({ attempts: 2, pause: '1h', ping: `${watcher}/uuid` }))
  world.sandbox.faults.add({ kind: 'http', operation: 'projects.list' })
  const stopInPause = (started: Started) =>
    started.stderr?.on('data', (text) => String(text).includes('attempt 2 follows') && started.kill('SIGTERM'))
  expect((await world.night(['--quiet'], { onStart: stopInPause })).code).toBe(143)
  expect(world.pings()).toEqual(['/uuid/start', '/uuid/143'])
  const [night] = await world.nights()
  expect(night?.steps[0]).toMatchObject({
    exit_code: 143,
    reason: 'interrupted by SIGTERM, in the pause before attempt 2',
    failed_attempts: [{ exit_code: 1 }],
  })
})

describe('whether another attempt may help', () => {
  const START = new Date('2026-02-03T02:30:00Z')

  function done(exitCode: ExitCode, document: Record<string, unknown> | null = null): Done {
    return { status: statusOf(exitCode), exitCode, document }
  }

  /** A partial snapshot whose posts have this error, and an item that failed first at a time. */
  function partial(error: Partial<Reason>, firstFailedAt: string): Done {
    const of = { pid: 'P', stream: 'posts' }
    const items = [{ ...of, first_failed_at: firstFailedAt }]
    return done(EXIT.partial, { not_whole: [{ ...of, error }], unread_items: items })
  }

  test.each([
    ['snapshot', EXIT.unexpected, true],
    ['archive', EXIT.unexpected, true],
    ['backup', EXIT.partial, false],
    ...[EXIT.ok, EXIT.usage, EXIT.unauthorised, EXIT.damage, EXIT.locked, EXIT.sigterm].map(
      (code): [StepName, ExitCode, boolean] => ['snapshot', code, false],
    ),
  ] satisfies [StepName, ExitCode, boolean][])('%s with exit code %i: %s', (step, code, expected) => {
    expect(mayPass(step, done(code), START)).toBe(expected)
  })

  const [TONIGHT, BEFORE] = ['2026-02-03T02:31:00Z', '2026-02-02T02:31:00Z']

  test.each([
    [{ code: 'RESET', retryable: true }, BEFORE, true],
    [{ code: 'HTTP_404' }, TONIGHT, false],
    // an item is a reason in its first night only
    [{ code: 'UNREAD_ITEMS', retryable: true }, TONIGHT, true],
    [{ code: 'UNREAD_ITEMS', retryable: true }, BEFORE, false],
  ] as const)('a scope with %o and an item that failed first %s: %s', (error, firstFailedAt, expected) => {
    expect(mayPass('snapshot', partial(error, firstFailedAt), START)).toBe(expected)
  })
})
