import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { UsageError } from '../src/index.ts'
import { readBoundedFile } from '../src/settings/bounded-file.ts'
import { outcomeOf } from './fixture/outcome.ts'
import { runFixture, scratch } from './fixture/run.ts'

const SMALL = { maxBytes: 100, deadlineMs: 200 }

test('a regular file is read up to the limit', () => {
  using directory = scratch()
  const path = join(directory.path, 'file')
  for (const length of [0, 1, 99, 100]) {
    writeFileSync(path, 'x'.repeat(length))
    expect(readBoundedFile(path, SMALL).text).toHaveLength(length)
  }
  writeFileSync(path, 'x'.repeat(101))
  expect(() => readBoundedFile(path, SMALL)).toThrow('it is larger than 100 bytes')
})

test('a pipe is read until its writer closes it', () => {
  using directory = scratch()
  const path = join(directory.path, 'pipe')
  execFileSync('mkfifo', [path])
  spawn('sh', ['-c', '(printf abc; sleep 0.1; printf def) > "$0"', path], { stdio: 'ignore' })
  expect(readBoundedFile(path, { maxBytes: 100, deadlineMs: 5000 }).text).toBe('abcdef')
})

test('a pipe that no program writes to is abandoned at the deadline, and is empty', () => {
  using directory = scratch()
  const path = join(directory.path, 'pipe')
  execFileSync('mkfifo', [path])
  expect(readBoundedFile(path, SMALL).text).toBe('')
})

test('a pipe that is not closed is abandoned at the deadline', () => {
  using directory = scratch()
  const path = join(directory.path, 'pipe')
  execFileSync('mkfifo', [path])
  const writer = spawn('sh', ['-c', 'exec 3>"$0"; echo abc >&3; exec sleep 20', path], { stdio: 'ignore' })
  expect(() => readBoundedFile(path, { maxBytes: 100, deadlineMs: 500 })).toThrow('it was not closed')
  writer.kill()
})

const ENDLESS = ['/dev/zero', 'folder', 'large']

test.each(ENDLESS.flatMap((path) => ['--token-file', '--config', '--ca'].map((flag) => ({ flag, path }))))(
  '$flag $path is a usage error',
  async ({ flag, path }) => {
    using directory = scratch()
    mkdirSync(join(directory.path, 'folder'))
    writeFileSync(join(directory.path, 'large'), '')
    truncateSync(join(directory.path, 'large'), 2 ** 30)
    const error = await outcomeOf(['show', flag, path], {}, directory.path)
    expect(error).toBeInstanceOf(UsageError)
    expect(String(error)).toMatch(/cannot be read \((EISDIR|it is (neither a regular|larger than).*)\)/)
  },
)

test.each([
  { mode: 0o600, warns: null },
  { mode: 0o400, warns: null },
  { mode: 0o640, warns: /by the group of the file \(mode 0640\): chmod 600 it, .*Kubernetes.*defaultMode: 0400/ },
  { mode: 0o644, warns: /by every user of this machine \(mode 0644\)/ },
  { mode: 0o604, warns: /by every user of this machine \(mode 0604\)/ },
])('a token file of mode $mode, behind a link as Kubernetes has it', async ({ mode, warns }) => {
  using directory = scratch()
  writeFileSync(join(directory.path, 'real'), 'a-token\n')
  chmodSync(join(directory.path, 'real'), mode)
  symlinkSync('real', join(directory.path, 'token'))
  const settings = await outcomeOf(['show', '--token-file', 'token'], {}, directory.path)
  expect(settings).toMatchObject({ warnings: warns === null ? [] : [expect.stringMatching(warns)] })
  const ran = await runFixture(['show', '--token-file', 'token', '--log-format', 'json'], { cwd: directory.path })
  const logged = ran.stderr.split('\n').filter((line) => line.includes('"msg":"the token file'))
  expect([ran.code, logged.length]).toEqual([0, warns === null ? 0 : 1])
})

test.skipIf(process.getuid?.() !== 0)(
  'the token file of another user, readable by the group, is a secret of Kubernetes',
  async () => {
    using directory = scratch()
    for (const [mode, warnings] of [
      [0o440, []],
      [0o444, [expect.stringMatching(/by every user of this machine \(mode 0444\)/)]],
    ] as const) {
      const path = join(directory.path, `token-${mode}`)
      writeFileSync(path, 'a-token\n')
      chmodSync(path, mode)
      chownSync(path, 12345, 12345)
      expect(await outcomeOf(['show', '--token-file', path], {}, directory.path)).toMatchObject({ warnings })
    }
  },
)
