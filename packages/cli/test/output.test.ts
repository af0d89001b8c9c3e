import { expect, test } from 'vitest'
import { parseCommandLine } from '../src/parse.ts'
import { wrapLines } from '../src/text.ts'
import { PROGRAM } from './fixture/program.ts'
import { runFixture } from './fixture/run.ts'

test.concurrent('a reader that goes away ends the output quietly; the exit code is the command’s own', async () => {
  const ran = await runFixture(['print', '100000'], { shell: 'set -o pipefail; "$@" | head -1' })
  expect(ran).toMatchObject({ code: 3, stderr: '' })
  expect(ran.stdout).toMatch(/^line 0 x+\n$/)
})

test.concurrent('a full disk under stdout is a failure', async () => {
  const ran = await runFixture(['print', '1000'], { shell: '"$@" > /dev/full' })
  expect(ran).toMatchObject({ code: 1, stderr: 'fixture: the results could not be written to stdout (ENOSPC)\n' })
})

test.concurrent('--version', async () => {
  expect(await runFixture(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
})

test.concurrent('--help of the program lists commands and exit codes', async () => {
  const ran = await runFixture(['--help'])
  expect(ran).toMatchObject({ code: 0, stderr: '' })
  for (const text of ['A program for tests', '  show ', 'Exit codes:', ' 11  another run']) {
    expect(ran.stdout).toContain(text)
  }
})

test.concurrent('--help of a command shows its flags, the settings with their defaults, and examples', async () => {
  const { code, stdout } = await runFixture(['show', '--help'])
  expect(code).toBe(0)
  const words = stdout.replace(/\s+/g, ' ')
  for (const text of [
    ...['--tag', '--base-url', '[COLLAB_BASE_URL]', '[default: 8: hides', '--json', 'show --concurrency 4'],
  ]) {
    expect(words).toContain(text)
  }
  expect(stdout).not.toMatch(/--token\b(?!-)/)
})

test.concurrent('help COMMAND is --help of the command, help is that of the program', async () => {
  for (const [words, flags] of [
    [
      ['help', 'show'],
      ['show', '--help'],
    ],
    [['help'], ['--help']],
  ] as const) {
    expect((await runFixture(words)).stdout).toBe((await runFixture(flags)).stdout)
  }
})

/** Runs the program in a terminal of 80 columns. */
const IN_TERMINAL = 'script -qec "stty cols 80; $*" /dev/null'

test('the help fits 80 columns, has values beside their flags, and examples in one line', async () => {
  const { stdout } = await runFixture(['show', '--help'], { shell: IN_TERMINAL })
  const lines = stdout.split('\r\n')
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  expect(lines).toContainEqual(expect.stringMatching(/^ {2}--base-url URL {2,}address of the service/))
  expect(lines).toContain('  --events-window DURATION')
  expect(lines.slice(lines.indexOf('Examples:'), -1)).toEqual([
    ...['Examples:', '  fixture show --concurrency 4', '      with another setting'],
  ])
})

test('long lines for a terminal are wrapped between words, with a hanging indent', () => {
  const text = 'ok     database  no warehouse here, and so on'
  expect(wrapLines(`${text}\nshort`, 40)).toBe(`ok     database  no warehouse here, and\n${' '.repeat(17)}so on\nshort`)
  expect(wrapLines(`a,b,c,d,e ${'x'.repeat(9)}`, 6)).toBe(`a,b,c,\nd,e\n${'x'.repeat(9)}`)
})

test.concurrent.each([
  { edge: 'after --', args: ['--', '--help'] },
  { edge: 'SQL that begins with a comment', args: ['--note\nSELECT 1'] },
  { edge: 'SQL that begins with a comment, after --', args: ['--', '-- SELECT 1'] },
  { edge: 'a single dash', args: ['-'] },
])('a word that looks like a flag is an argument: $edge', async ({ args }) => {
  const parsed = await parseCommandLine(PROGRAM, ['fail', ...args])
  expect(parsed).toMatchObject({ kind: 'command', args: { how: args.at(-1) } })
})

test.concurrent('a command has the flags of the settings that it uses, and no others', async () => {
  expect(await runFixture(['wait', '--base-url', 'https://a.example'])).toMatchObject({ code: 2 })
})
