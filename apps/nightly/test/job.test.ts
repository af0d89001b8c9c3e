import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backends } from '@collab-etl/harness/backends'
import { run, type Started, scratchDirectory } from '@collab-etl/harness/commands'
import { pathOf, spansOf } from '@collab-etl/harness/otlp-spans'
import { type Receiver, startReceiver } from '@collab-etl/harness/receiver'
import { testThoroughly } from '@collab-etl/harness/thorough'
import type { Step } from '@collab-etl/observability'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readNights } from '../src/run/record.ts'

const SMALL = { projects: 1, tasks: 5, archived: 2, pages: 3, posts: 2, events: 2 }

interface World extends AsyncDisposable {
  readonly sandbox: Sandbox
  readonly watcher: Receiver
  readonly path: string
  /** Runs `collab-nightly` in the directory. */
  night(args?: readonly string[], options?: NightOptions): ReturnType<typeof run>
  /** The paths that the watcher was asked for since the last call. */
  pings(): string[]
}

interface NightOptions {
  readonly env?: Record<string, string>
  readonly onStart?: (started: Started) => void
}

/** A service, an empty warehouse, a watcher, and a directory with a collab.yaml that has this under `nightly:`. */
async function openWorld(nightly: (watcher: string) => Record<string, unknown>): Promise<World> {
  await using stack = new AsyncDisposableStack()
  const scratch = stack.use(await scratchDirectory())
  const [backend] = backends()
  const warehouse = stack.use(await (backend as NonNullable<typeof backend>).open())
  const sandbox = await startSandbox(SMALL)
  stack.defer(() => sandbox.close())
  const watcher = stack.use(await startReceiver())
  const file = {
    base_url: sandbox.baseUrl,
    retries: 0,
    nightly: { out: 'b', ping: `${watcher.url}/uuid`, ...nightly(watcher.url) },
  }
  await writeFile(join(scratch.path, 'collab.yaml'), stringify(file))
  const env = { ...warehouse.env, COLLAB_TOKEN: sandbox.token }
  const made = stack.move()
  return {
    ...{ sandbox, watcher, path: scratch.path },
    night: (args = [], { env: more = {}, ...options } = {}) =>
      run('collab-nightly', args, { cwd: scratch.path, env: { ...env, ...more }, ...options }),
    pings: () => watcher.received.splice(0).map(({ path = '' }) => path),
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  }
}

const STEPS = ['snapshot', 'backup', 'verify', 'prune', 'archive']

describe('a night as collab.yaml describes it', () => {
  test('does all steps, prints nothing with --quiet, and is on record', async () => {
    await using world = await openWorld(() => ({
      ...{ formats: ['html', 'jsonl'], verify: '1/7', keep: { last: 1 }, archive: { as: 'tar.gz', to: 'off' } },
      metrics_file: 'collab.prom',
    }))
    await mkdir(join(world.path, 'off'))
    for (let nights = 1; nights <= 2; nights++) {
      expect(await world.night(['--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
      expect(world.pings()).toEqual(['/uuid/start', '/uuid/0'])
    }
    const nights = await readNights(join(world.path, 'b'))
    expect(nights.map(({ steps }) => steps.map(({ name, status }) => `${name} ${status}`))).toEqual(
      Array(2).fill(STEPS.map((name) => `${name} ok`)),
    )
    expect((await readdir(join(world.path, 'b/latest/data'))).sort()).toEqual([
      ...['backup.json', 'html', 'jsonl', 'report.html'],
    ])
    const names = nights.map(({ backup }) => backup?.name)
    expect((await readdir(join(world.path, 'off'))).sort()).toEqual(names.map((name) => `${name}.tar.gz`))
    // the first one was kept by `last: 1` until there was a second one
    expect((await readdir(join(world.path, 'b'))).filter((name) => /^\d/.test(name))).toEqual([names[1]])
    expect(await readFile(join(world.path, 'collab.prom'), 'utf8')).toContain('\ncollab_run_success 1\n')
    expect(await world.night(['status', '--max-age', '1h', '--quiet'])).toMatchObject({ code: 0, stdout: '' })
    await rm(join(world.path, 'b/latest'))
    expect(await world.night(['status', '--max-age', '1h'])).toMatchObject({ code: 6 })
  })

  test('scopes of a project without access count as denied if an earlier night could read it', async () => {
    await using world = await openWorld(() => ({ formats: ['csv'], verify: 'off', metrics_file: 'collab.prom' }))
    expect(await world.night(['--quiet'])).toMatchObject({ code: 0 })
    world.sandbox.store.change(world.sandbox.pids[0] ?? '', (project, caller) => {
      const others = project.members.filter(({ user }) => user.uid !== caller.uid)
      project.members = [...others, { user: caller, role: 2, permission: 0 }]
    })
    expect(await world.night(['--quiet'])).toMatchObject({ code: 3 })
    expect(await readFile(join(world.path, 'collab.prom'), 'utf8')).toContain(
      '\ncollab_scopes{stream="tasks",status="denied"} 1\n',
    )
    const [, night] = await readNights(join(world.path, 'b'))
    expect(night?.snapshot?.not_whole).toContainEqual(expect.objectContaining({ stream: 'tasks', status: 'skipped' }))
  })

  testThoroughly('flags take precedence over it', async () => {
    await using world = await openWorld(() => ({ formats: ['html'], verify: 'off' }))
    const ran = await world.night(['--format', 'csv', '--out', 'elsewhere', '--verify', 'fast', '--json'])
    expect(ran.code).toBe(0)
    const { steps, verify, snapshot, backup } = JSON.parse(ran.stdout)
    expect(steps.map(({ name }: { name: string }) => name)).toEqual(['snapshot', 'backup', 'verify'])
    expect([verify.mode, snapshot.status, backup.formats]).toEqual(['fast', 'succeeded', ['csv']])
    expect(await readdir(join(world.path, 'elsewhere/latest/data'))).toContain('csv')
  })
})

testThoroughly('a night is one trace, from the job to the requests, with the failure of a step', async () => {
  await using collector = await startReceiver()
  await using world = await openWorld(() => ({}))
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  expect((await world.night(['--quiet'], { env })).code).toBe(0)
  const spans = spansOf(collector.received)
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
  const paths = spans.map((span) => pathOf(span, spans))
  const parts = ['night', 'night > step snapshot', 'night > step backup', 'night > step verify']
  expect(paths).toEqual(
    expect.arrayContaining([...parts, 'night > step snapshot > run > project > stream tasks > tasks.list']),
  )
  expect(spans.find(({ name }) => name === 'night')?.attributes).toMatchObject({ 'collab.outcome': 'whole' })

  collector.received.splice(0)
  expect((await world.night(['--quiet'], { env: { ...env, COLLAB_TOKEN: 'a-wrong-token' } })).code).toBe(4)
  const failed = spansOf(collector.received).filter(({ hasFailed }) => hasFailed)
  expect(failed.map(({ name }) => name).sort()).toEqual(['night', 'projects.list', 'run', 'step snapshot'])
  for (const { body } of collector.received) expect(body).not.toMatch(/a-wrong-token|sandbox-token/)
})

describe('a failed night', () => {
  test('is reported with its exit code and reason, and so is the first whole one after it', async () => {
    await using world = await openWorld((watcher) => ({
      notify: [{ url: `${watcher}/hook`, when: 'change', as: 'json' }],
    }))
    expect((await world.night(['--quiet'])).code).toBe(0)
    expect(world.pings()).toEqual(['/uuid/start', '/uuid/0'])
    for (const expected of [
      ['/hook', '/uuid/4', '/uuid/start'],
      ['/uuid/4', '/uuid/start'],
    ]) {
      const ran = await world.night(['--quiet'], { env: { COLLAB_TOKEN: 'a-wrong-token' } })
      expect(ran.code).toBe(4)
      expect(ran.stdout).toMatch(/snapshot +failed +projects.list: .*100006.*\n +backup +skipped/)
      expect(ran.stderr).toBe('collab-nightly: the snapshot failed, so no backup was written: see above\n')
      const sent = world.watcher.received.map(({ body }) => body).join('\n')
      expect(sent).not.toContain('a-wrong-token')
      expect(sent).toContain('100006')
      expect(world.pings().sort()).toEqual(expected)
    }
    expect((await world.night(['--quiet'])).code).toBe(0)
    expect(world.pings().sort()).toEqual(['/hook', '/uuid/0', '/uuid/start'])
  })

  test('is reported as well if a setting is wrong, such as a token file that is missing', async () => {
    await using world = await openWorld((watcher) => ({
      notify: [{ url: `${watcher}/hook`, when: 'change', as: 'json' }],
    }))
    const env = { COLLAB_TOKEN: '', COLLAB_TOKEN_FILE: 'gone' }
    const ran = await world.night(['--quiet'], { env })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^collab-nightly: COLLAB_TOKEN_FILE: the token file \S+gone cannot be read .*\n$/)
    expect(world.watcher.received.map(({ body }) => body).join()).toMatch(/snapshot failed: .*gone cannot be read/)
    expect(world.pings().sort()).toEqual(['/hook', '/uuid/2'])
    expect(await world.night(['status'])).toMatchObject({ stdout: expect.stringMatching(/gone cannot be read/) })
    expect((await world.night(['--quiet'])).code).toBe(0)
    expect(world.pings().sort()).toEqual(['/hook', '/uuid/0', '/uuid/start'])
  })

  test('is reported with a command that runs as it is', async () => {
    await using world = await openWorld((watcher) => ({ notify: [{ url: `${watcher}/hook`, as: 'json' }] }))
    await world.night(['--quiet', '--schema', 'another'], { env: { COLLAB_TOKEN: 'a-wrong-token' } })
    const hook = world.watcher.received.find(({ path }) => path === '/hook')
    const [, command = ''] = /^More: collab-nightly (.*)$/m.exec(JSON.parse(hook?.body ?? '').text) ?? []
    const shown = await world.night(command.split(' '))
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/snapshot +failed/) })
    const [, check = ''] = /^Check: collab-extract (.*)$/m.exec(JSON.parse(hook?.body ?? '').text) ?? []
    // in any directory, as it names the config file
    const checked = await run('collab-extract', check.split(' '), { env: { COLLAB_TOKEN: 'a-wrong-token' } })
    expect(checked).toMatchObject({ code: 4, stdout: expect.stringMatching(/^FAILED +token +refused/m) })
  })

  test('with damage in the backup: exit 5, nothing is removed, no archive is written', async () => {
    await using world = await openWorld((watcher) => ({
      ...{ keep: { last: 1 }, archive: { as: 'zip' }, notify: [{ url: `${watcher}/hook`, as: 'json' }] },
    }))
    await world.night(['--quiet'])
    world.pings()
    // same size and times: the next backup links the file
    const file = join(world.path, 'b/latest/data/csv/posts.csv')
    const [text, { atime, mtime }] = [await readFile(file, 'latin1'), await stat(file)]
    await writeFile(file, text.replace('p', 'q'), 'latin1')
    await utimes(file, atime, mtime)
    const ran = await world.night(['--json'])
    expect(ran.code).toBe(5)
    const { steps, error } = JSON.parse(ran.stdout)
    expect(steps.map(({ name, status }: Step) => `${name} ${status}`)).toEqual([
      ...['snapshot ok', 'backup ok', 'verify failed', 'prune skipped', 'archive skipped'],
    ])
    const reason = expect.stringMatching(
      /^verify failed \(1 file of the backup \w+Z is damaged \(1 changed\)\): see above$/,
    )
    expect(error).toEqual({ code: 'VERIFY', message: reason, exit_code: 5 })
    const message = JSON.parse(world.watcher.received.find(({ path }) => path === '/hook')?.body ?? '').text
    expect(message).toMatch(/^Tonight's backup \w+Z is damaged\./m)
    expect(message).not.toContain('holds everything')
    const [, command = ''] = /^Check: collab-export (.*)$/m.exec(message) ?? []
    expect(await run('collab-export', command.split(' '), { cwd: world.path })).toMatchObject({ code: 5 })
    expect(world.pings().sort()).toEqual(['/hook', '/uuid/5', '/uuid/start'])
    // the next night writes the damaged file anew
    expect((await world.night(['--quiet'])).code).toBe(0)
  })

  test('that was interrupted is reported with 143, and the steps after it are skipped', async () => {
    await using world = await openWorld(() => ({}))
    let started: Started | undefined
    world.sandbox.beforeRequest(({ operation }) => {
      if (operation === 'pages.list') started?.kill('SIGTERM')
    })
    const ran = await world.night([], {
      onStart: (command) => {
        started = command
      },
    })
    expect(ran.code).toBe(143)
    expect(world.pings()).toEqual(['/uuid/start', '/uuid/143'])
    const [night] = await readNights(join(world.path, 'b'))
    expect(night?.steps.map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'interrupted by SIGTERM'],
      ['skipped', 'the job was interrupted'],
      ['skipped', 'the job was interrupted'],
    ])
  })
})

describe('what cannot be reported does not change the exit code', () => {
  test('without a temporary directory the summaries are kept beside the backups', async () => {
    await using world = await openWorld(() => ({ archive: { as: 'zip' } }))
    const ran = await world.night(['--json'], { env: { TMPDIR: join(world.path, 'missing') } })
    expect(ran.stderr).toMatch(/the temporary directory \S+missing cannot be used: summaries are kept in/)
    const { steps, snapshot } = JSON.parse(ran.stdout)
    expect(steps.every(({ status }: Step) => status === 'ok')).toBe(true)
    expect([ran.code, snapshot.status]).toEqual([0, 'succeeded'])
    expect((await readdir(join(world.path, 'b/.collab-nightly'))).sort()).toEqual(['record.jsonl', 'reserve'])
  })

  testThoroughly('with no directory for summaries the message does not deny the backup', async () => {
    await using world = await openWorld((watcher) => ({
      ...{ archive: { as: 'zip' }, notify: [{ url: `${watcher}/hook`, as: 'json' }] },
    }))
    await mkdir(join(world.path, 'b'))
    await writeFile(join(world.path, 'b/.collab-nightly'), 'a file in the way')
    const ran = await world.night(['--quiet'], { env: { TMPDIR: join(world.path, 'missing') } })
    expect(ran.code).toBe(1)
    const text = JSON.parse(world.watcher.received.find(({ path }) => path === '/hook')?.body ?? '').text
    expect(text).toMatch(/^archive failed: the backup left no summary with its name$/m)
    expect(text).toMatch(/^A backup was written tonight, but its summary was lost\./m)
  })
})
