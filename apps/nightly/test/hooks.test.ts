import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { testThoroughly } from '@collab-etl/harness/thorough'
import type { Step } from '@collab-etl/observability'
import { describe, expect, test } from 'vitest'
import { openWorld, type World } from './world.ts'

/** A program that writes its environment, and a copy of the summary, beside collab.yaml. */
const noting = (name: string) => [
  'sh',
  '-c',
  `env > ${name}.env; if [ "$COLLAB_SUMMARY" ]; then cp "$COLLAB_SUMMARY" ${name}.json; fi`,
]

/** The environment that a program wrote. */
async function environmentOf(world: World, name: string): Promise<Record<string, string>> {
  const lines = (await world.read(`${name}.env`)).split('\n')
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]))
}

/** The steps of the last night, each with its status and the reason. */
async function stepsOf(world: World): Promise<string[]> {
  const steps = (await world.nights()).at(-1)?.steps ?? []
  return steps.map(({ name, status, reason }: Step) => [name, status, ...(reason === null ? [] : [reason])].join(': '))
}

describe('programs before and after a night', () => {
  test('learn where its backup, archive and summary are, and do not get the token', async () => {
    await using world = await openWorld(() => ({
      formats: ['csv'],
      archive: { as: 'zip' },
      before: [noting('first'), ['./bin/echo', 'started']],
      after: [noting('last')],
      on_failure: [noting('failed')],
    }))
    const env = { COLLAB_EXIT_CODE: '99', COLLAB_BACKUP: 'of another night', OF_THE_OPERATOR: 'kept' }
    await mkdir(join(world.path, 'bin'))
    await writeFile(join(world.path, 'bin/echo'), '#!/bin/sh\necho "$1 in $(pwd)"\n', { mode: 0o755 })
    const ran = await world.night([], { env })
    expect([ran.code, ran.stderr]).toEqual([
      0,
      expect.stringContaining(`"step":"before echo","msg":"started in ${world.path}"`),
    ])
    const [first, last] = [await environmentOf(world, 'first'), await environmentOf(world, 'last')]
    for (const seen of [first, last]) {
      expect(seen).toMatchObject({ OF_THE_OPERATOR: 'kept' })
      expect(seen).not.toHaveProperty('COLLAB_TOKEN')
      expect(Object.values(seen).join('\n')).not.toContain(world.sandbox.token)
    }
    expect(Object.keys(first).filter((name) => /^COLLAB_(EXIT_CODE|BACKUP|ARCHIVE|SUMMARY)$/.test(name))).toEqual([])
    const [night] = await world.nights()
    const backup = night?.backup?.path
    expect(last).toMatchObject({ COLLAB_EXIT_CODE: '0', COLLAB_BACKUP: backup, COLLAB_ARCHIVE: `${backup}.zip` })
    const summary = JSON.parse(await world.read('last.json'))
    expect(summary).toMatchObject({ exit_code: 0, outcome: 'whole', backup: night?.backup, snapshot: night?.snapshot })
    await expect(world.read('failed.env')).rejects.toThrow('ENOENT')
    expect(await stepsOf(world)).toEqual([
      ...[
        'before sh: ok',
        'before echo: ok',
        'snapshot: ok',
        'backup: ok',
        'verify: ok',
        'archive: ok',
        'after sh: ok',
      ],
    ])
    expect(ran.stdout).toMatch(/^ {2}after sh +ok +\d/m)
  })

  test('of which the first fails stop the night: exit 1, nothing is read', async () => {
    await using world = await openWorld((watcher) => ({
      before: [['sh', '-c', 'echo "no such disk" >&2; exit 7'], ['true']],
      after: [noting('last')],
      on_failure: [['false'], noting('failed')],
      notify: [{ url: `${watcher}/hook`, as: 'json' }],
    }))
    const ran = await world.night(['--quiet', '--log-level', 'error'])
    expect(ran.code).toBe(1)
    expect(ran.stderr).toContain('"step":"before sh","msg":"no such disk"')
    expect(ran.stderr).toMatch(
      /^collab-nightly: before sh failed \(ended with exit code 7; its output is in the log\)/m,
    )
    expect(world.sandbox.requests).toEqual([])
    expect(await stepsOf(world)).toEqual([
      'before sh: failed: ended with exit code 7; its output is in the log',
      'before true: skipped: a program before it failed',
      ...['snapshot', 'backup', 'verify'].map((name) => `${name}: skipped: a program of nightly.before failed`),
      'after sh: skipped: the run failed',
      'on_failure false: failed: ended with exit code 1; its output is in the log',
      'on_failure sh: ok',
    ])
    expect(await environmentOf(world, 'failed')).toMatchObject({ COLLAB_EXIT_CODE: '1' })
    expect(JSON.parse(await world.read('failed.json'))).toMatchObject({ exit_code: 1, backup: null })
    const { title, text } = JSON.parse(world.watcher.received.at(-1)?.body ?? '{}')
    expect(title).toContain('before sh and on_failure false FAILED (exit 1)')
    expect(text).toContain('before sh failed: ended with exit code 7')
  })

  testThoroughly('of which one after it fails make it exit 1, and the others run', async () => {
    await using world = await openWorld(() => ({
      formats: ['csv'],
      verify: 'off',
      after: [['/no/such/program'], noting('last')],
      on_failure: [noting('failed')],
    }))
    const ran = await world.night(['--json'])
    expect(ran.code).toBe(1)
    expect(JSON.parse(ran.stdout).error).toEqual({
      ...{ code: 'AFTER', exit_code: 1, message: 'after program failed (cannot be started (ENOENT)): see above' },
    })
    expect((await environmentOf(world, 'last'))['COLLAB_EXIT_CODE']).toBe('0')
    const failed = await environmentOf(world, 'failed')
    expect(failed).toMatchObject({ COLLAB_EXIT_CODE: '1', COLLAB_BACKUP: expect.stringContaining(world.path) })
    // the data is safe, and says so
    expect(await world.night(['status', '--max-age', '1h'])).toMatchObject({ code: 0 })
  })

  testThoroughly('run after a partial night, and those of on_failure as well', async () => {
    await using world = await openWorld(() => ({
      verify: 'off',
      after: [noting('last')],
      on_failure: [noting('failed')],
    }))
    const [pid = ''] = world.sandbox.pids
    world.sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, times: 'always' })
    expect((await world.night(['--quiet'])).code).toBe(3)
    for (const name of ['last', 'failed']) expect((await environmentOf(world, name))['COLLAB_EXIT_CODE']).toBe('3')
  })

  test('learn of a setting that is wrong: exit 2', async () => {
    await using world = await openWorld(() => ({ before: [noting('first')], on_failure: [noting('failed')] }))
    expect((await world.night(['--quiet'], { env: { COLLAB_TOKEN: '', COLLAB_TOKEN_FILE: 'gone' } })).code).toBe(2)
    expect((await environmentOf(world, 'failed'))['COLLAB_EXIT_CODE']).toBe('2')
    await expect(world.read('first.env')).rejects.toThrow('ENOENT')
  })

  test('end with the job, which is then interrupted, and no other follows', async () => {
    await using world = await openWorld(() => ({
      before: [['sh', '-c', 'kill -TERM $PPID; sleep 600']],
      on_failure: [noting('failed')],
    }))
    const ran = await world.night([], { ownProcess: true })
    expect(ran.code).toBe(143)
    expect(await stepsOf(world)).toEqual([
      'before sh: failed: interrupted by SIGTERM',
      ...['snapshot', 'backup', 'verify', 'on_failure sh'].map((name) => `${name}: skipped: the job was interrupted`),
    ])
  })

  test.each(['before', 'after', 'on_failure'])('of a file that others may write to are refused: %s', async (hook) => {
    await using world = await openWorld(() => ({ [hook]: [noting('first')], on_failure: [noting('failed')] }))
    await chmod(join(world.path, 'collab.yaml'), 0o666)
    const ran = await world.night(['--quiet'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(
      `collab-nightly: nightly.${hook} of collab.yaml is not run, because other users may write to it: chmod go-w collab.yaml\n`,
    )
    for (const name of ['first', 'failed']) await expect(world.read(`${name}.env`)).rejects.toThrow('ENOENT')
    expect(await stepsOf(world)).toEqual([
      expect.stringMatching(/^snapshot: failed: nightly/),
      ...Array(2).fill(expect.any(String)),
    ])
    // whoever names the file trusts it
    if (hook !== 'before') return
    await world.night(['--quiet', '--config', 'collab.yaml', '--base-url', 'http://127.0.0.1:9'])
    expect((await environmentOf(world, 'first'))['OF_THE_OPERATOR']).toBeUndefined()
  })
})
