import { once } from 'node:events'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '@collab-etl/cli'
import { backends } from '@collab-etl/harness/backends'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { isThorough } from '@collab-etl/harness/thorough-tag'
import type { Night } from '@collab-etl/observability'
import { describe, expect, test } from 'vitest'
import { addNight } from '../src/run/record.ts'
import { writeNightReport } from '../src/run/write-report.ts'
import { openWorld } from './world.ts'

const openReported = (backend?: Parameters<typeof openWorld>[1]) =>
  openWorld(() => ({ formats: ['csv'], report: 'www' }), backend)

const stepsOf = (night: Night | undefined) => night?.steps.map(({ name, status }) => `${name} ${status}`)

describe.runIf(isThorough())('report: in collab.yaml', () => {
  testThoroughly(
    'a night is on record before its report is written, so that a kill loses the report alone',
    async () => {
      await using world = await openReported()
      const ran = await world.night(['--quiet'], {
        onStart: async (started) => {
          while ((await world.nights()).length === 0) await sleep(5)
          started.kill('SIGKILL')
        },
      })
      expect(ran.signal).toBe('SIGKILL')
      await expect(world.read('www/index.html')).rejects.toMatchObject({ code: 'ENOENT' })
      expect(stepsOf((await world.nights()).at(-1))).toEqual(['snapshot ok', 'backup ok', 'verify ok'])
      expect(await world.night(['report', '--out', 'www'])).toMatchObject({ code: 0 })
      expect(await world.read('www/index.html')).toContain('<title>Everything was read and backed up')
    },
  )

  testThoroughly('is written as the last step of each night, without the token', async () => {
    await using world = await openReported()
    const [pid = ''] = world.sandbox.pids
    const ran = await world.night([])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toMatch(/^ {2}report +ok +/m)
    const first = await world.read('www/index.html')
    expect(first).toContain('<title>Everything was read and backed up')
    expect(first).toContain('Rows changed in 2 of 2 projects.')
    expect(first).toContain(pid)
    expect(stepsOf((await world.nights()).at(-1))).toEqual(['snapshot ok', 'backup ok', 'verify ok', 'report ok'])

    // a night that fails has a report as well, with the changes of the last run
    const refused = await world.night(['--quiet'], { env: { COLLAB_TOKEN: 'a-wrong-token-of-one' } })
    expect(refused.code).toBe(4)
    const page = await world.read('www/index.html')
    expect(page).toContain('<title>Snapshot failed · collab-nightly</title>')
    expect(page).toContain('projects.list')
    for (const token of [world.sandbox.token, 'a-wrong-token-of-one']) expect(page).not.toContain(token)
    expect(await readdir(join(world.path, 'www'))).toEqual(['index.html'])

    // a warehouse of other nights has nothing to do with these
    const last = (await world.nights()).at(-2)
    for (const [more, reason] of [
      [{ base_url: 'https://other.example.com', snapshot: null }, /its last run read \S+, and the last night https:/],
      [{ snapshot: { ...last?.snapshot, run_id: 'r-other' } }, /it does not have run r-other of the last night/],
    ] as const) {
      const now = new Date().toISOString()
      await addNight(join(world.path, 'b'), { ...last, ...more, started_at: now, finished_at: now } as Night)
      expect(await world.night(['report'])).toMatchObject({ code: 3, stderr: expect.stringMatching(reason) })
      expect(await world.read('www/index.html')).not.toContain('Changes by project</h2>')
    }
  })

  testThoroughly('that cannot be written is a warning and on record, and the night succeeds', async () => {
    await using world = await openReported()
    expect((await world.night(['--quiet'])).code).toBe(0)
    await rm(join(world.path, 'www'), { recursive: true })
    await writeFile(join(world.path, 'www'), 'in the way')
    const ran = await world.night(['--quiet'])
    expect([ran.code, ran.stdout]).toEqual([0, ''])
    expect(JSON.parse(ran.stderr.trim().split('\n').at(-1) ?? '')).toMatchObject({
      msg: expect.stringMatching(/^the report could not be written to .*www$/),
    })
    expect(stepsOf((await world.nights()).at(-1))).toContain('report failed')
    expect((await world.night(['status'])).stdout).toContain('failures        none')
  })
})

test('an interrupted job does not wait for a warehouse that does not answer', async () => {
  await using scratch = await scratchDirectory()
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo // it listens on a port
  const url = `postgres://u@127.0.0.1:${port}/x`
  const databaseUrl = { reveal: () => url, scrub: (text: string) => text }
  // the fields that it uses
  const settings = { databaseUrl, dataDir: scratch.path, schema: 'collab' } as unknown as Context['settings']
  const begin = performance.now()
  const written = await writeNightReport({ settings, signal: AbortSignal.timeout(300) }, scratch.path, [])
  expect(written.warehouseProblem).toBe('the job was interrupted')
  expect(performance.now() - begin).toBeLessThan(8000)
  silent.close()
})

describe('collab-nightly report', () => {
  test('before the first night has a page that says so, and exit code 0', async () => {
    await using world = await openReported()
    const ran = await world.night(['report', '--out', 'elsewhere', '--json'])
    expect(ran).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/"msg":"no run is on record in .*b; --backups/),
    })
    expect(JSON.parse(ran.stdout)).toMatchObject({
      report: join(world.path, 'elsewhere/index.html'),
      nights: 0,
      warehouse_problem: null,
      bytes: expect.any(Number),
    })
    const page = await world.read('elsewhere/index.html')
    expect(page).toContain('<h1 data-t>No run is on record yet</h1>')
    expect(page).toContain('data-t>The warehouse has no finished run yet')
  })

  test('without a warehouse shows the nights, says what is missing, and ends with 3', async () => {
    await using world = await openReported()
    const time = new Date().toISOString()
    await addNight(join(world.path, 'b'), {
      started_at: time,
      finished_at: time,
      duration_ms: 5,
      exit_code: 0,
      outcome: 'whole',
      host: 'h',
      tool_version: '1',
      base_url: null,
      steps: [],
      snapshot: null,
      backup: null,
      verification: null,
      consecutive_failures: 0,
      failing_since: null,
      last_whole_at: time,
    })
    for (const [env, reason] of [
      [
        { DATABASE_URL: 'postgres://u:secret-of-the-database@127.0.0.1:1/x' },
        /could not be read for this report: <q>.*127\.0\.0\.1/,
      ],
      [
        { DATABASE_URL: '', COLLAB_DATA_DIR: join(world.path, 'missing') },
        /could not be read for this report: <q>.*missing/,
      ],
    ] as const) {
      const ran = await world.night(['report'], { env })
      expect(ran.code).toBe(3)
      expect(ran.stderr).toContain('the warehouse could not be read')
      const page = await world.read('www/index.html')
      expect(page).toMatch(reason)
      expect(page).toContain('<title>Everything was read and backed up')
      expect(page + ran.stderr).not.toContain('secret-of-the-database')
    }
    expect(await readdir(world.path)).not.toContain('missing')
  })

  test('needs a directory that it can write', async () => {
    await using scratch = await scratchDirectory()
    expect(await run('collab-nightly', ['report'], { cwd: scratch.path })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('give --out DIR'),
    })
    expect(
      await run('collab-nightly', ['report', '--out', '.', '--backups', 'typo'], { cwd: scratch.path }),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--backups .*typo is not a directory/),
    })
    expect(await readdir(scratch.path)).toEqual([])
    const ran = await run('collab-nightly', ['report', '--out', 'missing/www'], { cwd: scratch.path })
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/cannot be written to .*missing.www .*ENOENT.*: choose/),
    })
  })

  testThoroughly('reads the embedded warehouse', async () => {
    const embedded = backends().at(-1)
    await using world = await openReported(embedded)
    expect((await world.night(['--quiet'])).code).toBe(0)
    expect(await world.read('www/index.html')).toContain('Rows changed in 2 of 2 projects.')
    expect(await world.night(['--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(await world.read('www/index.html')).toContain('Nothing changed in 2 projects.')
  })
})
