import { execFileSync, spawnSync } from 'node:child_process'
import { cp, mkdir, readdir, readFile, realpath, rm, truncate, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordArchive } from '@collab-etl/backups/repository'
import type { Context, Settings } from '@collab-etl/cli'
import type { Started } from '@collab-etl/harness/commands'
import { onServer, postgresServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { openWarehouse } from '@collab-etl/warehouse'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { stringify } from 'yaml'
import { planOf } from '../src/config/plan.ts'
import { compareLive, readStated } from '../src/drill/compare-live.ts'
import { drillSource } from '../src/drill/source.ts'
import { isDue } from '../src/run/drill-record.ts'
import { openWorld, type World } from './world.ts'

const HAS_AGE = spawnSync('age-keygen', ['--version']).status === 0

function makeKey(): { readonly identity: string; readonly recipient: string } {
  const identity = execFileSync('age-keygen', { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  return { identity, recipient: /public key: (age1\w+)/.exec(identity)?.[1] ?? '' }
}

/** Runs a drill and gives its document. */
async function drill(world: World, args: readonly string[] = []) {
  const { code, stdout, stderr } = await world.night(['drill', '--json', ...args])
  return { code, stderr, ...JSON.parse(stdout) }
}

/** A copy of the backups without archives, and settings that name it. */
async function copied(world: World) {
  const directory = await scratch()
  const copy = join(directory, 'b')
  await cp(join(world.path, 'b'), copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  const config = join(directory, 'copy.yaml')
  await writeFile(config, stringify({ nightly: { out: copy } }))
  return { copy, config }
}

async function flip(path: string): Promise<void> {
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  await writeFile(path, bytes)
}

async function linesIn(directory: string): Promise<string> {
  const folder = join(directory, 'latest/data/jsonl')
  const [project = ''] = (await readdir(folder)).filter((name) => !name.endsWith('.jsonl'))
  return join(folder, project, 'pages.jsonl')
}

/** The temporary directories of drills with this `TMPDIR`. */
async function temporariesIn(directory: string): Promise<string[]> {
  return await readdir(join(directory, `collab-unpacked-${process.getuid?.()}`)).catch(() => [])
}

describe.runIf(HAS_AGE)('a drill', () => {
  let world: World
  let archive: string
  let TMPDIR: string
  let first: Awaited<ReturnType<World['night']>>
  const key = HAS_AGE ? makeKey() : { identity: '', recipient: '' }
  beforeAll(async () => {
    world = await openWorld((watcher) => ({
      ...{ verify: 'off', drill: '30d', report: 'site', metrics_file: 'collab.prom' },
      archive: { as: 'tar.zst', to: 'off', encrypt: [key.recipient], identity: 'key.txt' },
      notify: [{ url: `${watcher}/notify` }],
    }))
    await mkdir(join(world.path, 'off'))
    await writeFile(join(world.path, 'key.txt'), key.identity)
    TMPDIR = join(world.path, 'temporary')
    await mkdir(TMPDIR)
    first = await world.night([], { env: { TMPDIR } })
    const [name = ''] = await readdir(join(world.path, 'off'))
    archive = join(world.path, 'off', name)
  }, 300_000)
  afterAll(() => world[Symbol.asyncDispose]())

  test('is a step of the night when it is due, and its result is shown everywhere', async () => {
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining('practising recovery') })
    const [night] = await world.nights()
    expect(night?.steps.map((step) => `${step.name} ${step.status}`)).toContain('drill ok')
    expect(night?.drill).toMatchObject({
      source: basename(archive),
      problem: null,
      project: expect.any(String),
      notes: [],
    })
    expect((await world.night(['status'])).stdout).toMatch(/last drill +\d.*\.age came back in /)
    expect(await world.read('site/index.html')).toContain('Practised recovery</h2>')
    expect(await world.read('collab.prom')).toMatch(/^collab_drill_success(\{.*\})? 1$/m)
    expect(await temporariesIn(TMPDIR)).toEqual([])
    expect(world.pings()).toEqual([])
    expect(world.sandbox.requests.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('finds a wrong identity, and notifies', async () => {
    await writeFile(join(world.path, 'key.txt'), makeKey().identity)
    onTestFinished(() => writeFile(join(world.path, 'key.txt'), key.identity))
    expect(await drill(world)).toMatchObject({ code: 5, problem: expect.stringMatching(/\.age: .*(key|identity)/) })
    expect(world.pings()).toEqual(['/notify'])
    expect(await world.read('collab.prom')).toMatch(/^collab_drill_success(\{.*\})? 0$/m)
    expect((await world.night(['status'])).stdout).toMatch(/last drill .*FAILED/)
  })

  test('uses the newest backup if the archive is encrypted and no identity is set', async () => {
    const warnings: string[] = []
    const log = { warn: (text: string) => void warnings.push(text) } as unknown as Context['log'] // it warns only
    const { archive: named, ...plan } = planOf({ file: {} }, { out: join(world.path, 'b') })
    expect(named).toBe(undefined)
    const encrypted = { as: 'tar.zst' as const, to: join(world.path, 'off'), encrypt: [key.recipient] }
    const source = await drillSource({ log }, { ...plan, archive: encrypted })
    expect(source).toMatchObject({ kind: 'backup', path: await realpath(join(world.path, 'b/latest')) })
    expect(warnings.join()).toContain('nightly.archive.identity')
  })

  test('of a job without archives leaves out an archive older than the latest backup', async () => {
    const { copy } = await copied(world)
    const latest = await realpath(join(copy, 'latest'))
    const old = join(copy, '20200101T000000Z')
    await cp(latest, old, { recursive: true })
    const log = { warn: () => {} } as unknown as Context['log'] // it warns only
    const kindOf = async (bag: string) => {
      await writeFile(`${bag}.zip`, 'an archive')
      expect(await recordArchive(bag, { path: `${bag}.zip`, bytes: 10, sha256: '' })).toBe(true)
      return (await drillSource({ log }, planOf({ file: {} }, { out: copy }))).kind
    }
    expect([await kindOf(old), await kindOf(latest)]).toEqual(['backup', 'archive'])
  })

  testThoroughly('that was killed leaves what it unpacked to be removed by the next night', async () => {
    const TMPDIR = await scratch()
    const onStart = async (command: Started) => {
      while ((await temporariesIn(TMPDIR)).length === 0) await sleep(5)
      command.kill('SIGKILL')
    }
    const killed = await world.night(['drill'], {
      env: { TMPDIR },
      ownProcess: true,
      onStart: (command) => void onStart(command),
    })
    expect(killed.signal).toBe('SIGKILL')
    expect(await temporariesIn(TMPDIR)).toHaveLength(1)
    const { config } = await copied(world)
    // a night without a drill
    const env = { TMPDIR, COLLAB_BASE_URL: world.sandbox.baseUrl, COLLAB_TOKEN: 'wrong' }
    expect((await world.night(['--config', config], { env })).code).toBe(4)
    expect(await temporariesIn(TMPDIR)).toEqual([])
  })

  testThoroughly('does not fail because another program holds the embedded warehouse', async () => {
    const dataDir = await scratch()
    await using _held = await openWarehouse({ dataDir, schema: 'collab' })
    const settings = { dataDir, schema: 'collab' } as Settings // an embedded one has no others
    const stated = await readStated(join(world.path, 'b/latest'))
    const uncompared = await compareLive(settings, stated, new AbortController().signal)
    expect(uncompared).toMatch(/^the embedded warehouse in .+ is in use by process \d+/)
  })

  test('finds an archive that was cut', async () => {
    const bytes = await readFile(archive)
    onTestFinished(() => writeFile(archive, bytes))
    await truncate(archive, bytes.length - 1000)
    expect(await drill(world)).toMatchObject({ code: 5, kind: 'archive', problem: expect.any(String) })
  })

  test('finds a flipped byte', async () => {
    const { copy, config } = await copied(world)
    await flip(await linesIn(copy))
    const drilled = await drill(world, ['--config', config])
    expect(drilled).toMatchObject({ code: 5, problem: expect.stringMatching(/1 file .* damaged \(1 changed\)/) })
  })

  test('finds a missing file', async () => {
    const { copy, config } = await copied(world)
    await rm(await linesIn(copy))
    const drilled = await drill(world, ['--config', config])
    expect(drilled).toMatchObject({ code: 5, problem: expect.stringMatching(/1 file .* damaged \(1 missing\)/) })
  })

  test.runIf(postgresServer() !== null)('finds a project that the warehouse had and the backup lacks', async () => {
    const url = world.warehouse['DATABASE_URL'] ?? ''
    const add = `INSERT INTO collab.projects (pid, name, valid_from) SELECT 'ghost', 'Ghost', min(valid_from) FROM collab.projects`
    await onServer(url, add)
    onTestFinished(() => onServer(url, "DELETE FROM collab.projects WHERE pid = 'ghost'"))
    const drilled = await drill(world)
    expect(drilled).toMatchObject({
      code: 5,
      problem: expect.stringMatching(/it lacks ghost of the projects; .*projects \(3 and 2 rows\)/),
    })
  })
})

test('a drill finds that an older version made a backup', async () => {
  const bag = await scratch()
  await mkdir(join(bag, 'data'))
  const manifest = { format: 'collab-export backup', layout: 1, formats: ['jsonl'], projects: [], scopes: [] }
  await writeFile(join(bag, 'data/backup.json'), JSON.stringify(manifest))
  await expect(readStated(bag)).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining('older version'),
  })
})

test.each([
  ['there was none', null, true],
  ['the last one failed', { days: 1, problem: 'damage' }, true],
  ['the last one passed 29 days ago', { days: 29, problem: null }, false],
  ['the last one passed 30 nights ago, a minute later than tonight', { days: 30 - 1 / 1440, problem: null }, true],
  ['the last one is dated in the future', { days: -1, problem: null }, true],
])('whether a drill every 30 days is due if %s', (_what, last, due) => {
  const now = new Date('2026-06-30T02:00:00Z')
  const at = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  const facts = last && { ...last, started_at: at(last.days), duration_ms: 1, source: 'x', project: null, notes: [] }
  expect(isDue(facts, 30 * 86_400_000, now)).toBe(due)
})
