import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { expect, test } from 'vitest'
import { runProgram } from '../src/run/run-program.ts'
import { openWorld } from './world.ts'

test('a step that passes nightly.timeout is ended, recorded and reported: exit 1', async () => {
  await using world = await openWorld((watcher) => ({ attempts: 3, timeout: '1s', ping: `${watcher}/uuid` }))
  world.sandbox.faults.add({ kind: 'stall', operation: 'pages.list', times: 'always' })
  expect((await world.night(['--quiet'], { ownProcess: true })).code).toBe(1)
  const [night] = await world.nights()
  expect(night).toMatchObject({ outcome: 'failed', exit_code: 1, attempts: 1 })
  expect(night?.steps.map(({ status, reason }) => [status, reason])).toEqual([
    ['failed', 'ended, because the run took longer than nightly.timeout (1s)'],
    ['skipped', 'the time limit of the run has passed'],
    ['skipped', 'the time limit of the run has passed'],
  ])
  expect(world.pings()).toEqual(['/uuid/start', '/uuid/1'])
})

testThoroughly('no pause begins that would pass nightly.timeout', async () => {
  await using world = await openWorld(() => ({ attempts: 2, pause: '1h', timeout: '30m', verify: 'off' }))
  world.sandbox.faults.add({ kind: 'http', operation: 'pages.list' })
  expect((await world.night(['--quiet'])).code).toBe(3)
  expect(await world.nights()).toMatchObject([{ attempts: 1, steps: [{ name: 'snapshot' }, { status: 'partial' }] }])
})

test('a command that does not end after SIGTERM is killed', async () => {
  await using scratch = await scratchDirectory()
  const limit = new AbortController()
  const env = { COLLAB_DATA_DIR: scratch.path }
  const running = runProgram('collab-sandbox', ['--port', '0'], {
    env,
    signal: limit.signal,
    show: 'nothing',
    graceMs: 500,
  })
  running.catch(() => {})
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  const isChild = (text: string) =>
    text.includes('collab-sandbox') && text.trim().split(/\s+/)[1] === String(process.pid)
  const [line = ''] = stdout.split('\n').filter(isChild)
  process.kill(Number.parseInt(line, 10), 'SIGSTOP')
  limit.abort(new Error('too late'))
  await expect(running).rejects.toThrow('too late')
})
