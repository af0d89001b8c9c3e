/** @module-tag thorough */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { stringify } from 'yaml'
import { anyCharacter } from '../../../test/harness/any-character.ts'
import { times } from '../../../test/harness/thorough.ts'
import { SETTINGS } from '../src/settings/table.ts'
import { TOKEN_ENV } from '../src/settings/token.ts'
import { type Given, judgeSettings, SECRET } from './fixture/judge-settings.ts'
import { scratch } from './fixture/run.ts'

// hundreds of inputs, on a machine that may be busy
vi.setConfig({ testTimeout: 60_000 })

const entries = Object.values(SETTINGS)

/** Texts as they may stand in an environment or a command line: anything but U+0000. */
const text = fc.oneof(
  fc.constantFrom(
    ...[
      '',
      ' ',
      '0',
      '1',
      '1.5',
      '-1',
      '1e9',
      '0x10',
      'Infinity',
      'NaN',
      '9'.repeat(400),
      'true',
      'null',
      '[]',
      '*',
      '~',
    ],
    ...[
      'header',
      'query',
      'json',
      'form',
      'info',
      'pretty',
      'none',
      'folder',
      '/dev/null',
      '..',
      '\n',
      'a\nb',
      '\u2028',
      '\x1b[31m',
    ],
    ...[
      'http://',
      'https://a.example',
      'https://a.example/v1',
      'https://[',
      'file:///etc',
      'postgres://',
      'postgres://u@h:99999/d',
    ],
  ),
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((some) => some.replaceAll('\0', '')),
)

/** Addresses of databases, right and wrong, with the secret for a password. */
const database = fc
  .tuple(
    fc.constantFrom(
      'postgres://u:',
      'postgresql://:',
      'mysql://u:',
      'postgres:u:',
      'postgres://h/d?password=',
      'host=h password=',
    ),
    fc.constantFrom('', '%', '\n', '"', "'", '\\', '\\U', '#', '1#', '1/', '1?', ' '),
    fc.constantFrom('@h/d', '@h:99999/d', '@[', '', '@h/d?sslmode=no', '\n', "'@h/d"),
  )
  // with no `@` behind, what follows `u:1/` is the name of a database on port 1 of the host u, and no password
  .filter(([, odd, behind]) => behind.includes('@') || !/^1[/?]$/.test(odd))
  .map(([before, odd, behind]) => `${before}${odd}${SECRET}${behind}`)

const token = fc.constantFrom(SECRET, ` ${SECRET}`, `${SECRET}\n${SECRET}`, `${SECRET}\u00e9`, `${SECRET}\n`)

/** Some settings by their names in one of the places, with any texts; the secret where one belongs. */
function settingsBy(name: (entry: (typeof entries)[number]) => string): fc.Arbitrary<Record<string, string>> {
  const one = fc
    .constantFrom(...entries, SETTINGS.databaseUrl)
    .chain((entry) => fc.tuple(fc.constant(name(entry)), entry === SETTINGS.databaseUrl ? database : text))
  return fc.array(one, { maxLength: 2 }).map(Object.fromEntries)
}

/** At times a file that holds the token, with everything that may be wrong with it, is named; or the token itself is given. */
const tokenFile = fc.option(fc.constantFrom('whole', 'spaces', 'lines', 'bytes', 'none', '.', SECRET.repeat(3)), {
  nil: undefined,
})

function directory(): ReturnType<typeof scratch> {
  const made = scratch()
  const contents = {
    whole: `${SECRET}\n`,
    spaces: `${SECRET} x`,
    lines: `x\n${SECRET}\n`,
    bytes: Buffer.from(`\xff${SECRET}`, 'latin1'),
  }
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(made.path, name), content)
  return made
}

async function holds(given: fc.Arbitrary<Given>, numRuns: number): Promise<void> {
  using scene = directory()
  const endings = new Set<string>()
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      endings.add(await judgeSettings(one, scene.path))
    }),
    { numRuns: times(Math.ceil(numRuns / 4), numRuns) },
  )
  // it is no use where everything ends alike
  expect(endings.size).toBeGreaterThan(times(1, 5))
  expect(endings.has('settings') || times(1, 0) === 1).toBe(true)
}

test('any environment gives settings, or a usage error of one line that tells no secret', async () => {
  const env = fc
    .tuple(
      settingsBy(({ env }) => env),
      fc.option(token, { nil: undefined }),
      tokenFile,
    )
    .map(([all, given, file]) => ({
      ...all,
      ...(given !== undefined && { [TOKEN_ENV]: given }),
      ...(file !== undefined && { COLLAB_TOKEN_FILE: file }),
    }))
  await holds(
    env.map((all) => ({ argv: ['show'], env: all })),
    100,
  )
})

test('any flags give settings, a text, or a one-line usage error without secrets', async () => {
  const flag = fc.constantFrom(
    ...entries.map(({ flag }) => `--${flag}`),
    '--tag',
    '--size',
    '--config',
    '--json',
    '--help',
    '--token',
  )
  const odd = fc.constantFrom(
    '--',
    '-',
    '---',
    '--=',
    '--no-json',
    '--__proto__',
    '--constructor=1',
    '--json=maybe',
    '-x',
    '--tag.a=1',
  )
  const given = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(flag, text).map((words) => words) },
    { weight: 2, arbitrary: fc.tuple(flag, text).map(([name, value]) => [`${name}=${value}`]) },
    { weight: 2, arbitrary: fc.tuple(fc.constant('--database-url'), database).map((words) => words) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ['--token', SECRET],
        [`--token=${SECRET}`],
        ['--token-file', 'spaces'],
        ['--token-file', 'whole'],
      ),
    },
    { weight: 1, arbitrary: fc.tuple(fc.oneof(flag, odd, text)) },
  )
  const argv = fc.array(given, { maxLength: 4 }).map((words) => ['show', ...words.flat()])
  await holds(
    argv.map((all) => ({ argv: all, env: {} })),
    100,
  )
})

test('any YAML document gives settings, or a usage error of one line that tells no secret', async () => {
  const of = settingsBy(({ key }) => key)
  const odd = fc.oneof(fc.jsonValue(), fc.constantFrom([], {}, null, true, 1.5, '007', ['a'], { links: 1 }))
  const others = fc.dictionary(
    fc.constantFrom('links', 'token', '__proto__', 'colour', '', 'base-url', '1', 'a\nb'),
    odd,
    { maxKeys: 1 },
  )
  const quoting = fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED')
  const document = fc
    .tuple(of, others, tokenFile, quoting)
    .map(([settings, more, file, kind]) =>
      stringify(
        { ...settings, ...(file && { token_file: file }), ...more },
        { defaultStringType: kind, defaultKeyType: 'PLAIN' },
      ),
    )
  // what people do to such a file by hand
  const damage = fc.oneof(
    { weight: 3, arbitrary: fc.constant((good: string) => good) },
    fc.constantFrom(
      (good: string) => good.replaceAll('"', ''),
      (good: string) => good.replaceAll(': ', ':'),
      (good: string) => good.replaceAll('\n', '\n '),
      (good: string) => `%YAML 1.1\n---\n${good}---\n`,
      (good: string) => good.replaceAll('\\\\', '\\'),
      (good: string) => good.replaceAll(': ', ': |'),
      (good: string) => good.replaceAll(': ', ': !!int '),
      (good: string) => `a: &x ${good}`,
    ),
  )
  await holds(
    fc.tuple(document, damage).map(([good, spoil]) => ({ argv: ['show'], env: {}, file: spoil(good) })),
    100,
  )
})
