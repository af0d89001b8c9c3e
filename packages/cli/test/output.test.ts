import { expect, test } from 'vitest'
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
  for (const text of ['A program for tests', 'fixture show', 'Exit codes:', ' 11  another run']) {
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

test.concurrent('a command has the flags of the settings that it uses, and no others', async () => {
  expect(await runFixture(['wait', '--base-url', 'https://a.example'])).toMatchObject({ code: 2 })
})
