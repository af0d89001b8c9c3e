import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { terminalText } from '../src/index.ts'
import { runFixture, scratch } from './fixture/run.ts'

const ENV = { COLLAB_TOKEN: 'hush-hush-hush', COLLAB_BASE_URL: 'https://a.example', PGPASSWORD: 'hush-hush-hush' }

test.concurrent('files belong to the owner alone, however generous the shell', async () => {
  using directory = scratch()
  const ran = await runFixture(['leak', join(directory.path, 'file')], { env: ENV, shell: 'umask 000; "$@"' })
  expect(ran).toMatchObject({ code: 0 })
  expect(statSync(join(directory.path, 'file')).mode & 0o777).toBe(0o600)
})

test.concurrent('what others write to stderr holds no secret', async () => {
  using directory = scratch()
  const ran = await runFixture(['leak', join(directory.path, 'file')], { env: ENV })
  expect(ran).toMatchObject({ code: 0, stderr: 'GET /?access_token=[secret]\n' })
})

test.concurrent('a crash report of Node holds nothing of the environment', async () => {
  using directory = scratch()
  const ran = await runFixture(['leak', join(directory.path, 'file')], { env: ENV })
  expect(ran.stdout).toContain('"nodejsVersion"')
  expect(ran.stdout).not.toContain('hush')
})

test('on a terminal, a text cannot control it; elsewhere it is what it is', () => {
  const text = 'a\tb\r\nc\u001b[2J\u009b\rd\u202e'
  expect(terminalText({ isTerminal: true }, text)).toBe('a\tb\r\nc\ufffd[2J\ufffd\ufffdd\ufffd')
  expect(terminalText({ isTerminal: false }, text)).toBe(text)
})
