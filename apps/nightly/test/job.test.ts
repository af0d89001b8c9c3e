import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, type Started } from '@collab-etl/harness/commands'
import { pathOf, spansOf } from '@collab-etl/harness/otlp-spans'
import { startReceiver } from '@collab-etl/harness/receiver'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { acceptedLines, type Step } from '@collab-etl/observability'
import { describe, expect, test } from 'vitest'
import { snapshotFacts } from '../src/run/facts.ts'
import { openWorld, type World } from './world.ts'

const STEPS = ['snapshot', 'backup', 'verify', 'prune', 'archive', 'prune-archives', 'verify-older']

/** The text of the message that the watcher got at a path. */
function messageAt({ watcher }: World, path: string): string {
  return JSON.parse(watcher.received.find((received) => received.path === path)?.body ?? '{}').text
}

describe('a night as collab.yaml describes it', () => {
  test('does all steps, prints nothing with --quiet, and is on record', async () => {
    await using world = await openWorld((watcher) => ({
      formats: ['html', 'jsonl'],
      verify: '1/7',
      keep: { last: 1 },
      archive: { as: 'tar.gz', to: 'off', keep: { last: 1 } },
      ping: `${watcher}/uuid`,
      metrics_file: 'collab.prom',
    }))
    await mkdir(join(world.path, 'off'))
    // of another machine
    await writeFile(join(world.path, 'off/20200101T000000Z.tar.gz'), '')
    for (let nights = 1; nights <= 2; nights++) {
      expect(await world.night(['--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
      expect(world.pings()).toEqual(['/uuid/start', '/uuid/0'])
    }
    const nights = await world.nights()
    expect(nights.map(({ steps }) => steps.map(({ name, status }) => `${name} ${status}`))).toEqual(
      Array(2).fill(STEPS.map((name) => `${name} ok`)),
    )
    expect((await readdir(join(world.path, 'b/latest/data'))).sort()).toEqual([
      ...['backup.json', 'html', 'jsonl', 'report.html'],
    ])
    const names = nights.map(({ backup }) => backup?.name)
    expect((await readdir(join(world.path, 'off'))).sort()).toEqual(['20200101T000000Z.tar.gz', `${names[1]}.tar.gz`])
    // the first one was kept by `last: 1` until there was a second one
    expect((await readdir(join(world.path, 'b'))).filter((name) => /^\d/.test(name))).toEqual([names[1]])
    expect(await world.read('collab.prom')).toContain('\ncollab_run_success 1\n')
    expect(await world.night(['status', '--max-age', '90m30s', '--quiet'])).toMatchObject({ code: 0, stdout: '' })
    await rm(join(world.path, 'b/latest'))
    expect(await world.night(['status', '--max-age', '1h'])).toMatchObject({ code: 6 })
  })

  testThoroughly('of which a part cannot be read writes its backup all the same: exit 3', async () => {
    await using world = await openWorld(() => ({ verify: 'off' }))
    const [pid = ''] = world.sandbox.pids
    world.sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, times: 'always' })
    const ran = await world.night(['--out', 'elsewhere', '--schema', 'other'])
    expect(ran.code).toBe(3)
    for (const text of ['pages failed', 'Done, but incomplete', `${world.path}/elsewhere/latest`, '--schema other']) {
      expect(ran.stdout).toContain(text)
    }
    expect(ran.stdout).toMatch(/^ +snapshot +partial +pages of .+ failed \(/m)
    expect(ran.stdout + ran.stderr).not.toContain(world.sandbox.token)
    expect(await readdir(join(world.path, 'elsewhere/latest'))).toContain('bagit.txt')
  })

  test('scopes of a project without access count as denied if an earlier night could read it', () => {
    const scope = (pid: string, status: string) => ({ pid, stream: 'tasks', status, error: null })
    const scopes = [scope('p1', 'complete'), scope('p2', 'skipped'), scope('p3', 'skipped')]
    const document = { run_id: 'r', scopes, not_whole: scopes.slice(2) }
    expect(snapshotFacts({ status: 'partial', exitCode: 3, document })).toMatchObject({
      scopes: { tasks: { complete: 1, skipped: 1, denied: 1 } },
      not_whole: [{ pid: 'p3', status: 'skipped' }],
    })
  })

  test('accepted failures are named in its message, and count as a status of their own', () => {
    const failure = { scope: 'p1/posts/x', until: '2027-03-31T00:00:00.000Z', reason: 'ticket 4711' }
    const scopes = [{ pid: 'p1', stream: 'posts', status: 'partial', error: null, accepted: [failure] }]
    const document = { run_id: 'r', scopes, not_whole: [], accepted_unneeded: [{ ...failure, scope: 'p2/tasks' }] }
    const snapshot = snapshotFacts({ status: 'ok', exitCode: 0, document })
    expect(snapshot).toMatchObject({ scopes: { posts: { accepted: 1 } }, accepted: [failure], not_whole: [] })
    expect(acceptedLines({ snapshot })).toEqual([
      'Accepted failure p1/posts/x, until 2027-03-31: ticket 4711',
      'The accepted failure p2/tasks no longer occurs: remove it',
    ])
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
  for (const { body } of collector.received) {
    for (const token of ['a-wrong-token', world.sandbox.token]) expect(body).not.toContain(token)
  }
})

describe('a failed night', () => {
  test('is reported with its exit code and reason, and so is the first whole one after it', async () => {
    await using world = await openWorld((watcher) => ({
      formats: ['csv'],
      verify: 'off',
      ping: `${watcher}/uuid`,
      notify: [
        { url: `${watcher}/changes`, when: 'change', as: 'json' },
        { url: `${watcher}/all`, when: 'always', as: 'json' },
      ],
    }))
    const wrongSetting = await world.night(['--quiet'], { env: { COLLAB_TOKEN: '', COLLAB_TOKEN_FILE: 'gone' } })
    expect(wrongSetting).toMatchObject({ code: 2, stdout: '' })
    expect(wrongSetting.stderr).toMatch(
      /^collab-nightly: COLLAB_TOKEN_FILE: the token file \S+gone cannot be read .*\n$/,
    )
    expect(messageAt(world, '/changes')).toMatch(/snapshot failed: .*gone cannot be read/)
    expect(world.pings().sort()).toEqual(['/all', '/changes', '/uuid/2'])
    expect(await world.night(['status'])).toMatchObject({ stdout: expect.stringMatching(/gone cannot be read/) })

    const env = { COLLAB_TOKEN: 'a-wrong-token' }
    const refused = await world.night(['--quiet', '--schema', 'another'], { env })
    expect(refused.code).toBe(4)
    expect(refused.stdout).toMatch(/snapshot +failed +projects.list: .*100006.*\n +backup +skipped/)
    expect(refused.stderr).toBe('collab-nightly: the snapshot failed, so no backup was written: see above\n')
    const sent = world.watcher.received.map(({ body }) => body).join('\n')
    expect(sent).not.toContain('a-wrong-token')
    expect(sent).toContain('100006')
    // the commands of a message run as they are
    const message = messageAt(world, '/all')
    const [, more = ''] = /^More: collab-nightly (.*)$/m.exec(message) ?? []
    const shown = await world.night(more.split(' '))
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringMatching(/snapshot +failed/) })
    const [, check = ''] = /^Check: collab-extract (.*)$/m.exec(message) ?? []
    // in any directory, as it names the config file
    const checked = await run('collab-extract', check.split(' '), { env })
    expect(checked).toMatchObject({ code: 4, stdout: expect.stringMatching(/^FAILED +token +refused/m) })
    // 2 and 4 are two kinds of failure
    expect(world.pings().sort()).toEqual(['/all', '/changes', '/uuid/4', '/uuid/start'])

    expect((await world.night(['--quiet'])).code).toBe(0)
    expect(world.pings().sort()).toEqual(['/all', '/changes', '/uuid/0', '/uuid/start'])
  })

  testThoroughly('with damage in the backup: exit 5, nothing is removed, no archive is written', async () => {
    await using world = await openWorld((watcher) => ({
      formats: ['csv'],
      keep: { last: 1 },
      archive: { as: 'zip' },
      notify: [{ url: `${watcher}/hook`, as: 'json' }],
    }))
    await world.night(['--quiet', '--verify', 'off'])
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
    const message = messageAt(world, '/hook')
    expect(message).toMatch(/^The backup \w+Z is damaged\./m)
    expect(message).not.toContain('holds everything')
    const [, command = ''] = /^Check: collab-export (.*)$/m.exec(message) ?? []
    expect(await run('collab-export', command.split(' '), { cwd: world.path })).toMatchObject({ code: 5 })
  })

  testThoroughly('that was interrupted is reported with 143, and the steps after it are skipped', async () => {
    await using world = await openWorld((watcher) => ({ ping: `${watcher}/uuid` }))
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
    const [night] = await world.nights()
    expect(night?.steps.map(({ status, reason }) => [status, reason])).toEqual([
      ['failed', 'interrupted by SIGTERM'],
      ['skipped', 'the job was interrupted'],
      ['skipped', 'the job was interrupted'],
    ])
  })
})

testThoroughly('without a temporary directory the summaries are kept beside the backups', async () => {
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
    archive: { as: 'zip' },
    notify: [{ url: `${watcher}/hook`, as: 'json' }],
  }))
  await mkdir(join(world.path, 'b'))
  await writeFile(join(world.path, 'b/.collab-nightly'), 'a file in the way')
  const ran = await world.night(['--quiet'], { env: { TMPDIR: join(world.path, 'missing') } })
  expect(ran.code).toBe(1)
  const text = messageAt(world, '/hook')
  expect(text).toMatch(/^archive failed: the backup left no summary with its name$/m)
  expect(text).toMatch(/A backup was written, but its summary was lost\./m)
})
