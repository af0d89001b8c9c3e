/** @module-tag thorough */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { fuzz } from '../../../test/fuzz/fuzz.ts'
import { times } from '../../../test/harness/thorough.ts'
import { judgeSettings, SECRET } from './fixture/judge-settings.ts'

let directory = ''
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-fuzz-'))
  writeFileSync(join(directory, 'spaces'), `${SECRET} x`)
})
afterAll(() => rmSync(directory, { recursive: true, force: true }))

fuzz({
  name: 'the config file',
  inputs: times(40, 150),
  seeds: [
    '# all of them\nbase_url: https://collab.example\ntoken_file: spaces\ntoken_in: query\nbody: form\nschema: "a"\n',
    "data_dir: 'data'\nconcurrency: 4\nrate: 0.5\ntimeout: 20\nretries: 007\nlog_level: debug\nlog_format: json\n",
    'links:\n  - {kind: post, pattern: "/topic/(?<id>\\\\d+)"}\n  - kind: page\n    pattern: >-\n      x(?<id>.)\n',
    '{schema: a, links: [&x [a, *x], *y], "token": 1}',
    'schema: |\n  two\n  lines\nretries: !!int "3"\n',
    '%YAML 1.1\n---\n<<: {schema: a}\nrate: 1_000\n...\n---\nb: 2\n',
    'schema: "\\uD800\\0\\x41\\U0001F600"\n? [a, b]\n: c\n',
    `links: ${'['.repeat(300)}`,
    '\ufeffschema: a\r\nretries: many\r\n',
    Buffer.from('schema: \xff\xfe\n', 'latin1'),
    'accounts:\n  - { name: anna, token_file: spaces, rate: 0.5 }\n  - { name: ben, token_command: [cat, x], "a\\nb": 1 }\n',
    '- schema\n',
    'null',
    '',
  ],
  judge: (input) => judgeSettings({ argv: ['show'], env: {}, file: input }, directory),
})

fuzz({
  name: 'flags and environment',
  inputs: times(40, 150),
  // words of the command line; behind an empty one, variables with their values
  seeds: [
    ...['--schema a --concurrency 4 --token-in query', '--json --size 5 --tag a b --tag=c'],
    ...['--base-url https://collab.example --rate 0.5 --retries=-1', '-- extra --help'],
    ...['--config spaces --token x --colour red', ' COLLAB_BASE_URL https://a.example/v1 COLLAB_RATE 0 COLLAB_TOKEN x'],
    '--data-dir=x  COLLAB_SCHEMA a COLLAB_LOG_LEVEL loud DATABASE_URL mysql://a/b COLLAB_TOKEN_FILE spaces',
  ].map((line) => line.replaceAll(' ', '\0')),
  judge(input) {
    const [words = '', variables = ''] = input.toString().split('\0\0')
    const pairs = variables.split('\0')
    const env = Object.fromEntries(
      pairs.flatMap((name, at) => (at % 2 === 0 && name ? [[name, pairs[at + 1] ?? '']] : [])),
    )
    return judgeSettings({ argv: ['show', ...words.split('\0')], env }, directory)
  },
})
