import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, scratchDirectory } from '@collab-etl/harness/commands'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { exampleFile } from '../src/config/example.ts'
import { configSchema } from '../src/config/json-schema.ts'
import { planOf } from '../src/config/plan.ts'
import { readNightly } from '../src/config/read.ts'
import { NightlySchema } from '../src/config/schema.ts'

/** Runs `collab-nightly config` on a collab.yaml. */
async function configOf(yaml: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  await using scratch = await scratchDirectory()
  await writeFile(join(scratch.path, 'collab.yaml'), yaml)
  const ran = await run('collab-nightly', ['config', ...args], { cwd: scratch.path, env })
  return { ...ran, path: scratch.path }
}

describe('a mistake under nightly: is named with its line, exit 2', () => {
  test.each([
    {
      yaml: 'nightly:\n  keep:\n    daily: 7\n    weakly: 5\n',
      says: 'collab.yaml:4: nightly.keep.weakly is not a setting; the settings here are last, ',
    },
    {
      yaml: 'nightly:\n  keep: { daily: many }\n',
      says: 'collab.yaml:2: nightly.keep.daily must be a whole number from 0 to 100000, or unlimited',
    },
    { yaml: 'nightly:\n  keep: {}\n', says: 'collab.yaml:2: nightly.keep must be rules such as' },
    {
      yaml: 'nightly:\n  formats: [csv, pdf]\n',
      says: 'collab.yaml:2: nightly.formats.1 must be one of markdown, csv, html, jsonl',
    },
    { yaml: 'nightly:\n  formats: csv\n', says: 'collab.yaml:2: nightly.formats must be a list of' },
    {
      yaml: 'nightly:\n  content: [tasks, webhooks]\n',
      says: 'collab.yaml:2: nightly.content.1 must be one of pages, posts, tasks, events, files, users',
    },
    {
      yaml: 'nightly:\n  formats: [markdown]\n  content: [pages, users]\n',
      says: 'nightly.content: users cannot be written as markdown; add csv to nightly.formats',
    },
    { yaml: 'nightly:\n  verify: 1/1\n', says: 'collab.yaml:2: nightly.verify must be full, fast, off, or a part' },
    {
      yaml: 'nightly:\n  ping: hc.example.com/secret\n',
      says: 'collab.yaml:2: nightly.ping must be an address that begins with https:// or http://',
    },
    {
      yaml: 'nightly:\n  notify: [{ url: "http://[secret" }]\n',
      says: 'collab.yaml:2: nightly.notify.0.url must be an address that begins with https:// or http://',
    },
    {
      yaml: 'nightly:\n  notify:\n    - url: https://a.example/x\n    - url: https://a.example/y\n      when: never\n',
      says: 'collab.yaml:5: nightly.notify.1.when must be failure, always or change',
    },
    {
      yaml: 'nightly:\n  archive: { as: rar }\n',
      says: 'collab.yaml:2: nightly.archive.as must be tar.zst, tar.gz or zip',
    },
    {
      yaml: 'nightly:\n  archive: { as: zip, keep: { daily: 0 } }\n',
      says: 'collab.yaml:2: nightly.archive.keep keeps no backup',
    },
    {
      yaml: 'nightly:\n  formats: [html]\n  drill: 30d\n',
      says: 'collab.yaml:3: nightly.drill needs jsonl, csv or markdown',
    },
    { yaml: 'nightly:\n  workers: 300\n', says: 'collab.yaml:2: nightly.workers must be a whole number from 0 to 256' },
    { yaml: 'nightly:\n  attempts: 0\n', says: 'collab.yaml:2: nightly.attempts must be a whole number from 1 to 10' },
    { yaml: 'nightly:\n  pause: 0s\n', says: 'collab.yaml:2: nightly.pause must be a length of time from 1s to 7d' },
    {
      yaml: 'nightly:\n  timeout: 30d\n',
      says: 'collab.yaml:2: nightly.timeout must be a length of time from 1s to 7d',
    },
    {
      yaml: 'nightly:\n  after: [rclone, copy]\n',
      says: 'collab.yaml:2: nightly.after.0 must be a program and its arguments, such as [rclone, copy, ',
    },
    {
      yaml: 'nightly:\n  before:\n    - [a, 5]\n    - [""]\n',
      says: 'collab.yaml:4: nightly.before.1 must be a program and its arguments',
    },
    { yaml: 'nightly: often\n', says: 'collab.yaml:1: nightly must be settings such as' },
    { yaml: 'nightly:\n  keep: { last: 0 }\n', says: 'collab.yaml:2: nightly.keep keeps no backup' },
  ])('$says', async ({ yaml, says }) => {
    const ran = await configOf(`# a comment\n${yaml}`.replace('# a comment\n', ''))
    expect([ran.code, ran.stdout]).toEqual([2, ''])
    expect(ran.stderr).toMatch(/^collab-nightly: [^\n]+\n$/)
    expect(ran.stderr).toContain(says)
    expect(ran.stderr).not.toContain('secret')
  })
})

describe('collab-nightly config', () => {
  const YAML = [
    ...['base_url: https://collab.example.com', 'nightly:', '  out: backups'],
    '  ping: https://hc.example.com/secret-uuid',
    '  notify: [{ url: https://hooks.example.com/secret-hook, as: slack }]',
    '  keep: { daily: 7, yearly: unlimited }',
    '  after: [[./bin/copy, --password=secret-password], [sync]]',
  ].join('\n')

  test('prints the effective settings, with absolute paths and without secrets', async () => {
    const env = { COLLAB_TOKEN: 'secret-token', DATABASE_URL: 'postgres://u:secret-password@db.example/x' }
    const ran = await configOf(YAML, [], env)
    expect(ran.code).toBe(0)
    const { nightly, ...settings } = parse(ran.stdout)
    expect(settings).toMatchObject({ token: 'set', database_url: 'postgres://u:***@db.example/x', concurrency: 8 })
    expect(nightly).toEqual({
      out: join(ran.path, 'backups'),
      formats: ['markdown', 'csv', 'jsonl'],
      verify: 'full',
      attempts: 1,
      pause: '10m',
      keep: { daily: 7, yearly: 'unlimited' },
      ping: 'https://hc.example.com/…',
      after: [[expect.stringMatching(/^\/.*\/bin\/copy$/), '…'], ['sync']],
      notify: [{ url: 'https://hooks.example.com/…', when: 'failure', as: 'slack' }],
    })
    expect(ran.stdout + ran.stderr).not.toContain('secret')
  })

  test('prints accounts with their files and programs, without arguments', async () => {
    const { code, stdout, path } = await configOf(
      'accounts:\n  - { name: anna, token_file: anna, rate: 5 }\n  - { name: ben, token_command: [vault, hush] }\n',
    )
    expect([code, stdout.includes('hush')]).toEqual([0, false])
    expect(parse(stdout)).toMatchObject({
      token: 'set',
      limited_per: 'service',
      accounts: [
        { name: 'anna', token_file: join(path, 'anna'), rate: 5 },
        { name: 'ben', token_command: ['vault', '…'], rate: null },
      ],
    })
  })

  test('--json prints one document', async () => {
    expect(JSON.parse((await configOf(YAML, ['--json'])).stdout)).toMatchObject({
      base_url: 'https://collab.example.com',
    })
  })

  test('the other programs accept a file with nightly:', async () => {
    await using scratch = await scratchDirectory()
    await writeFile(join(scratch.path, 'collab.yaml'), YAML)
    for (const [program, ...args] of [
      ['collab-extract', 'runs'],
      ['collab-export', 'list', '.'],
    ] as const) {
      const { stderr } = await run(program, args, { cwd: scratch.path })
      expect(stderr).not.toContain('nightly')
    }
  })
})

describe('the example file', () => {
  test('is accepted as it is, and with each line that is commented out', () => {
    const uncommented = exampleFile()
      .replace(
        /^ {2}# (content|workers|archive|drill|accept|before|after|on_failure|ping|notify|metrics_file|report| {2}- )/gm,
        '  $1',
      )
      .replace('age1…', `age1${'q'.repeat(58)}`)
    for (const text of [exampleFile(), uncommented]) expect(() => readNightly(parse(text).nightly, '/')).not.toThrow()
    expect(Object.keys(parse(uncommented).nightly).sort()).toEqual(Object.keys(NightlySchema.properties).sort())
  })

  test('has the defaults of the job', () => {
    const defaults = planOf({ file: {} }, {})
    expect(parse(exampleFile()).nightly).toMatchObject({ formats: defaults.formats, verify: defaults.verify })
  })

  test('is printed by config --example, without a config file or a token', async () => {
    await using scratch = await scratchDirectory()
    const ran = await run('collab-nightly', ['config', '--example'], { cwd: scratch.path })
    expect(ran).toMatchObject({ code: 0, stdout: exampleFile() })
  })
})

test('the published JSON Schema is the one that config --json-schema prints', async () => {
  const published = await readFile(join(import.meta.dirname, '../collab.schema.json'), 'utf8')
  expect(JSON.parse(published)).toEqual(configSchema())
})
