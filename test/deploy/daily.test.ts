import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnvironment, scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { DEPLOY } from './support/programs.ts'

const DAILY = join(DEPLOY, 'container/daily.mjs')

/** Two hours before or after now, as HH:MM UTC. */
const timeOfDay = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)

interface Scene {
  readonly time: string
  /** When the last night began; `null`: never. */
  readonly lastRun: Date | null
  /** What the nightly command does: lines of a shell script. */
  readonly job: string
  /** Time zone; default UTC. */
  readonly zone?: string
  /** What the clock shows, ISO 8601: from the start, and after the first wait. Default: the real time. */
  readonly clock?: readonly [string, string]
}

/** A module that sets the clock of a process, and shortens its waits. */
const clockModule = ([first, later]: readonly [string, string]) => `
let offset = Date.parse('${first}') - Date.now()
const wait = globalThis.setTimeout
globalThis.setTimeout = (work, ms) => wait(() => { offset = Date.parse('${later}') - RealDate.now(); work() }, Math.min(ms, 50))
const RealDate = Date
globalThis.Date = class extends RealDate {
  constructor(...of) { super(...(of.length === 0 ? [RealDate.now() + offset] : of)) }
  static now() { return RealDate.now() + offset }
}
`

/** `collab-daily` with a job of ours, stopped by SIGTERM once its output has `until`. */
async function daily({ time, lastRun, job, zone = 'UTC', clock }: Scene, until: string) {
  await using scratch = await scratchDirectory()
  const bin = join(scratch.path, 'bin')
  await mkdir(bin)
  const state = JSON.stringify({ last_run: lastRun === null ? null : { started_at: lastRun.toISOString() } })
  const status = `echo '${state}'; exit ${lastRun === null ? 6 : 0}`
  await writeFile(join(bin, 'collab-nightly'), `#!/bin/sh\n[ "$1" = status ] && { ${status}; }\n${job}\n`, {
    mode: 0o755,
  })
  const preload = join(scratch.path, 'clock.mjs')
  if (clock !== undefined) await writeFile(preload, clockModule(clock))
  const flags = clock === undefined ? [] : ['--import', preload]
  const child = spawn(process.execPath, [...flags, DAILY, time, 'collab-nightly'], {
    cwd: scratch.path,
    env: { ...cleanEnvironment(), PATH: `${bin}:/usr/bin:/bin`, TZ: zone },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += String(chunk)))
  const exit = once(child, 'exit')
  while (!said.includes(until) && child.exitCode === null) await sleep(20)
  child.kill('SIGTERM')
  const [code] = await exit
  const log = await readFile(join(scratch.path, 'log'), 'utf8').catch(() => '')
  return { code, said, log }
}

describe('collab-daily', () => {
  test('runs at the start if no night began since the last time of day, then waits', async () => {
    const yesterday = new Date(Date.now() - 20 * 3_600_000)
    for (const lastRun of [null, yesterday]) {
      const time = timeOfDay(-2)
      const { code, said, log } = await daily({ time, lastRun, job: 'echo run >>log; exit 3' }, 'next run')
      expect(log).toBe('run\n')
      expect(said).toMatch(/^collab-daily: collab-nightly ended with exit code 3\ncollab-daily: next run at \S+\n$/)
      const [, next = ''] = /next run at (\S+)/.exec(said) ?? []
      expect(next.slice(11, 16)).toBe(time)
      expect(Date.parse(next) - Date.now()).toBeGreaterThan(21 * 3_600_000)
      expect(code).toBe(143)
    }
  })

  test('after a restart does not repeat a night that began on time, even one that failed', async () => {
    const lastRun = new Date(Date.now() - 3_600_000)
    const { log, said } = await daily({ time: timeOfDay(-2), lastRun, job: 'echo run >>log' }, 'next run')
    expect([log, said]).toEqual(['', expect.stringMatching(/^collab-daily: next run at /)])
  })

  test('passes a signal to the run, waits for its end, and starts no other', async () => {
    const job = 'trap "echo stopped >>log; exit 143" TERM; echo started; while :; do sleep 0.1; done'
    const { code, log } = await daily({ time: timeOfDay(-2), lastRun: null, job }, 'started')
    expect([code, log]).toEqual([143, 'stopped\n'])
  })

  test('after a change to summer time repeats no night, and the next one is at the usual hour', async () => {
    // 02:30 does not exist in Berlin on 29 March 2026
    const zone = 'Europe/Berlin'
    const job = 'echo run >>log'
    const lastRun = new Date('2026-03-28T01:30:05Z')
    const before = '2026-03-28T23:30:00Z'
    const early = await daily({ time: '02:30', lastRun, job, zone, clock: [before, before] }, 'next run')
    expect([early.log, early.said]).toEqual(['', 'collab-daily: next run at 2026-03-29T01:30:00.000Z\n'])
    const after = '2026-03-29T01:40:00Z'
    const late = await daily({ time: '02:30', lastRun: new Date(after), job, zone, clock: [after, after] }, 'next run')
    expect([late.log, late.said]).toEqual(['', 'collab-daily: next run at 2026-03-30T00:30:00.000Z\n'])
  })

  test('does not wait for years if the clock was ahead at the start', async () => {
    const clock = ['2030-05-05T12:00:00Z', '2026-05-05T12:00:00Z'] as const
    const lastRun = new Date('2030-05-05T11:59:00Z')
    const { said } = await daily({ time: '02:30', lastRun, job: 'exit 0', clock }, '2026-')
    expect(said.match(/next run at \S+/g)).toEqual([
      'next run at 2030-05-06T02:30:00.000Z',
      'next run at 2026-05-06T02:30:00.000Z',
    ])
  })

  test('names the signal that killed a run by its exit code', async () => {
    const { said } = await daily({ time: timeOfDay(-2), lastRun: null, job: 'kill -9 $$' }, 'next run')
    expect(said).toContain('collab-nightly ended with exit code 137\n')
  })

  test('ends with the exit code of status if the settings are wrong', async () => {
    await using scratch = await scratchDirectory()
    await writeFile(join(scratch.path, 'collab.yaml'), 'nightly: often\n')
    const child = spawn(process.execPath, [DAILY, '02:30', 'collab-nightly'], {
      cwd: scratch.path,
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let said = ''
    child.stderr?.on('data', (chunk) => (said += String(chunk)))
    expect(await once(child, 'close')).toEqual([2, null])
    expect(said).toMatch(/^collab-nightly: collab\.yaml:1: nightly must be [^\n]*\n$/)
  })

  test.each([[[]], [['2:30', 'x']], [['24:00', 'x']], [['02:30']]])('refuses the arguments %j', async (args) => {
    const child = spawn(process.execPath, [DAILY, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    child.stderr.on('data', (chunk) => (said += String(chunk)))
    expect(await once(child, 'close')).toEqual([2, null])
    expect(said).toMatch(/^collab-daily: usage: [^\n]*\n$/)
  })
})
