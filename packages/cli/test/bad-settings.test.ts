import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testEveryNth } from '../../../test/harness/thorough.ts'
import { UsageError } from '../src/index.ts'
import { outcomeOf } from './fixture/outcome.ts'
import { runFixture, scratch } from './fixture/run.ts'

interface Input {
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly file?: string
}

type Bad = readonly [edge: string, input: Input, says: RegExp]

// Values out of the range of each setting: setting-ranges.test.ts.
const BAD: readonly Bad[] = [
  ['an unknown flag', { args: ['--colour', 'red'] }, /unknown argument: --colour.*\(see fixture show --help\)/],
  ['an argument too many', { args: ['extra'] }, /one argument too many: extra/],
  ['an argument too many after --', { args: ['--', 'extra'] }, /one argument too many: extra/],
  ['a flag without its value', { args: ['--schema'] }, /--schema needs a value/],
  ['a flag with an empty value', { args: ['--schema', ''] }, /--schema needs a value/],
  ['a list with an empty value', { args: ['--tag', 'a', ''] }, /--tag needs a value/],
  ['a flag given twice', { args: ['--schema', 'a', '--schema', 'b'] }, /--schema was given 2 times/],
  ['a number that is none', { args: ['--size', 'big'] }, /--size needs a number/],
  ['a token on the command line', { args: ['--token', 'abc'] }, /process list: set COLLAB_TOKEN/],
  ['a camel-case flag', { args: ['--dataDir', 'x'] }, /unknown argument: --dataDir/],
  [
    'an address with /v1',
    { args: ['--base-url', 'https://a.example/api/v1/'] },
    /without the \/v1 at its end.*: https:\/\/a\.example\/api/,
  ],
  ['an address with a password', { args: ['--base-url', 'https://u:hush@a.example'] }, /must not hold a user/],
  ...['mysql://u:hush@a/b', 'hush', 'postgres:u:hush'].map(
    (address): Bad => [
      `the address of no database: ${address}`,
      { env: { DATABASE_URL: address } },
      /DATABASE_URL must be an? /,
    ],
  ),
  ...['#', '/', '?'].map(
    (odd): Bad => [
      `a password with ${odd} in it`,
      { env: { DATABASE_URL: `postgres://u:1${odd}hush@h/d` } },
      /DATABASE_URL must have any #, \/ and \? in its password percent-encoded/,
    ],
  ),
  [
    'a password with @ and / in it',
    { env: { DATABASE_URL: 'postgres://u:1@hush/x@h/d' } },
    /DATABASE_URL must have any #, \/ and \? in its password percent-encoded/,
  ],
  ['a password for a fragment', { env: { DATABASE_URL: 'postgres://u@h/d#hush' } }, /DATABASE_URL must have/],
  [
    'a password in a text that is no YAML',
    { file: 'database_url: "postgres://u:\\Uhush1234@h/d"\n' },
    /not valid YAML: Invalid escape sequence$/,
  ],
  [
    'a token in place of its file',
    { env: { COLLAB_TOKEN_FILE: 'hush'.repeat(8) } },
    /COLLAB_TOKEN_FILE must name a file that holds the token, .*COLLAB_TOKEN \(ENOENT\)/,
  ],
  ['a path that is none', { file: 'data_dir: "a\\0b"\n' }, /collab\.yaml:1: data_dir must be a path/],
  ['a token file that is not there', { args: ['--token-file', 'none'] }, /token file .*none cannot be read \(ENOENT\)/],
  ['an empty token file', { args: ['--token-file', 'empty'] }, /empty holds no token/],
  ['a token file of several lines', { args: ['--token-file', 'lines'] }, /lines holds more than one line/],
  ['a token with spaces', { env: { COLLAB_TOKEN: 'hush hush' } }, /COLLAB_TOKEN holds spaces/],
  ['a token of several lines', { env: { COLLAB_TOKEN: 'hush\nhush' } }, /more than one line/],
  [
    'a named config file that is not there',
    { args: ['--config', 'none.yaml'] },
    /none\.yaml cannot be read \(ENOENT\)/,
  ],
  [
    'an unknown key',
    { file: 'schema: a\n\ncolour: red\n' },
    /collab\.yaml:3: colour is not a setting; the settings are base_url/,
  ],
  [
    'a key with a dash',
    { file: 'base-url: x\n' },
    /collab\.yaml:1: base-url is not a setting; did you mean base_url\?/,
  ],
  [
    'a token in the config file',
    { file: 'token: hush\n' },
    /collab\.yaml:1: token must not be in a config file: set COLLAB_TOKEN/,
  ],
  ['a key given twice', { file: 'schema: a\nschema: b\n' }, /collab\.yaml:2: is not valid YAML: .*unique/],
  ['no YAML', { file: 'schema: "a\n' }, /collab\.yaml:\d: is not valid YAML/],
  [
    'too many levels',
    { file: `a:\n${'- '.repeat(10_000)}b:\n${'b:\n'.repeat(9)}` },
    /collab\.yaml is not valid YAML: .*too deeply/,
  ],
  ['a list for a config file', { file: '- schema\n' }, /collab\.yaml:1: must hold settings/],
  ['a list for a single value', { file: 'schema: [a]\n' }, /collab\.yaml:1: schema must be a single value/],
  ['a wrong value in the file', { file: '# one\nretries: many\n' }, /collab\.yaml:2: retries must be a whole number/],
  ['a wrong value of an app key', { file: 'links: all\n' }, /collab\.yaml:1: links must be a list of patterns/],
  ['aliases that blow up', { file: bomb() }, /collab\.yaml:\d+: links .*alias/i],
]

function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, i) => `  - &l${i + 1} [${Array(9).fill(`*l${i}`).join(', ')}]`)
  return ['links:', '  - &l0 [a, a, a, a, a, a, a, a, a]', ...levels, ''].join('\n')
}

function inDirectory(file: string | undefined): ReturnType<typeof scratch> {
  const directory = scratch()
  if (file !== undefined) writeFileSync(join(directory.path, 'collab.yaml'), file)
  mkdirSync(join(directory.path, 'folder'))
  writeFileSync(join(directory.path, 'empty'), '\n')
  writeFileSync(join(directory.path, 'lines'), 'hush\nhush\n')
  return directory
}

test.each(BAD)('%s: a usage error of one line that says so', async (_edge, { args = [], env = {}, file }, says) => {
  using directory = inDirectory(file)
  const error = await outcomeOf(['show', ...args], env, directory.path)
  expect(error).toBeInstanceOf(UsageError)
  const { message } = error as UsageError // by the line above
  expect(message).toMatch(says)
  expect(message).not.toContain('hush')
  expect(message).not.toContain('\n')
})

const SPAWNED = ['an unknown flag', 'an empty token file', 'no YAML', 'a password for a fragment']

testEveryNth(
  BAD.filter(([edge]) => SPAWNED.includes(edge)),
  4,
)('%s: exit 2 and that line alone', async (_edge, { args = [], env = {}, file }, says) => {
  using directory = inDirectory(file)
  const ran = await runFixture(['show', ...args], { cwd: directory.path, env })
  expect(ran).toMatchObject({ code: 2, stdout: '' })
  expect(ran.stderr).toMatch(/^fixture: [^\n]+\n$/)
  expect(ran.stderr).toMatch(says)
})

test.concurrent.each([
  { args: ['shwo'], says: 'unknown command: shwo; did you mean show? (see fixture --help)' },
  { args: ['nonsense'], says: 'unknown command: nonsense (see fixture --help)' },
  {
    args: ['show', '--confg', 'x'],
    says: 'unknown argument: --confg; did you mean --config? (see fixture show --help)',
  },
  {
    args: ['show', '--data_dir=x'],
    says: 'unknown argument: --data_dir; did you mean --data-dir? (see fixture show --help)',
  },
  {
    args: ['show', '--conc', '3'],
    says: 'unknown argument: --conc; did you mean --concurrency? (see fixture show --help)',
  },
  { args: ['--colour'], says: 'unknown argument: --colour (see fixture --help)' },
  { args: ['help', 'shwo'], says: 'unknown command: shwo; did you mean show? (see fixture --help)' },
  { args: ['show', '-x'], says: 'unknown argument: -x (see fixture show --help)' },
  { args: ['fail', '--schema', 'x'], says: 'an argument is missing: <how> (see fixture fail --help)' },
  { args: ['pair', '--json'], says: 'arguments are missing: <from> and <to> (see fixture pair --help)' },
  { args: ['pair', 'fail'], says: 'an argument is missing: <to> (see fixture pair --help)' },
])('$args: $says', async ({ args, says }) => {
  expect(String(await outcomeOf(args, {}, '/'))).toBe(`UsageError: ${says}`)
})

test.concurrent.each([
  {
    args: [],
    says: 'no command was given (see fixture --help)',
    hint: 'Usage: fixture <command> [flags]\nfixture help lists the commands, fixture help COMMAND the flags of one.',
  },
  {
    args: ['fail'],
    says: 'an argument is missing: <how> (see fixture fail --help)',
    hint: 'Usage: fixture fail <how> [flags]\nExample: fixture fail hard',
  },
])('without arguments, $args is three lines on stderr, exit 2', async ({ args, says, hint }) => {
  expect(await runFixture(args)).toEqual({ code: 2, stdout: '', stderr: `fixture: ${says}\n${hint}\n` })
})

test('all wrong settings are shown at once: of the file, the environment and flags', async () => {
  using directory = scratch()
  writeFileSync(join(directory.path, 'collab.yaml'), 'ratee: 3\ntimeout: never\n')
  const outcome = await outcomeOf(['show', '--retries', '-1'], { COLLAB_CONCURRENCY: 'x' }, directory.path)
  expect(
    String(outcome)
      .split('; ')
      .filter((part) => !part.startsWith('did you')),
  ).toEqual([
    expect.stringMatching(/^UsageError: collab\.yaml:1: ratee is not a setting/),
    expect.stringMatching(/^COLLAB_CONCURRENCY must be/),
    expect.stringMatching(/^collab\.yaml:2: timeout must be/),
    expect.stringMatching(/^--retries must be/),
  ])
})

test('with --json, a usage error is a document on stdout as well', async () => {
  const ran = await runFixture(['show', '--json', '--colour'])
  expect(ran.code).toBe(2)
  expect(JSON.parse(ran.stdout)).toEqual({
    error: { code: 'USAGE', message: 'unknown argument: --colour (see fixture show --help)', exit_code: 2 },
  })
})
