import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runFixture, scratch } from './fixture/run.ts'

const TOKEN = 'very-secret-token'
const DATABASE_URL = 'postgres://loader:very%2Fsecret@db.example:5432/x'

test.concurrent.each([
  { edge: 'a failure that is known', how: 'known', code: 11, line: 'the lock is held: wait' },
  { edge: 'a failure that the app maps', how: 'mapped', code: 5, line: 'mapped: from elsewhere' },
  { edge: 'an unknown failure', how: 'boom', code: 1, line: 'unexpected failure: boom' },
  { edge: 'a failure in a timer', how: 'later', code: 1, line: 'unexpected failure: in a timer' },
  { edge: 'a promise that is not awaited', how: 'rejected', code: 1, line: 'unexpected failure: not awaited' },
])('$edge: one line without a stack, exit $code', async ({ how, code, line }) => {
  const ran = await runFixture(['fail', how])
  expect(ran).toEqual({ code, stdout: '', stderr: `fixture: ${line}\n` })
})

test.concurrent('with --json a failure is the one document, and the line is there as well', async () => {
  const ran = await runFixture(['fail', 'known', '--json'])
  expect(JSON.parse(ran.stdout)).toEqual({
    error: { code: 'LOCKED', message: 'the lock is held: wait', exit_code: 11 },
  })
  expect(ran.stderr).toBe('fixture: the lock is held: wait\n')
})

test.concurrent('a failure after the document was printed adds no second document', async () => {
  const ran = await runFixture(['fail', 'document', '--json'])
  expect(JSON.parse(ran.stdout)).toEqual({ status: 'failed' })
  expect(ran).toMatchObject({ code: 1, stderr: 'fixture: after the document\n' })
})

test.concurrent('the stack is in the log at level debug alone', async () => {
  const ran = await runFixture(['fail', 'boom', '--log-level', 'debug'])
  const [log = '', line] = ran.stderr.split('\n')
  expect(JSON.parse(log)).toMatchObject({ level: 'debug', stack: expect.stringContaining('at ') })
  expect(line).toBe('fixture: unexpected failure: boom')
})

test.concurrent('neither token nor database password is in a failure, its document or its stack', async () => {
  const ran = await runFixture(['fail', 'secret', '--json', '--log-level', 'trace'], {
    env: { COLLAB_TOKEN: TOKEN, DATABASE_URL },
  })
  expect(ran.code).toBe(1)
  expect(ran.stderr).toContain('cannot use [secret] at postgres://loader:***@db.example:5432/x')
  for (const secret of [TOKEN, 'very%2Fsecret', 'very/secret']) expect(ran.stdout + ran.stderr).not.toContain(secret)
})

test.concurrent('neither is in the log, printed settings, or the environment of what is run next', async () => {
  using directory = scratch()
  writeFileSync(join(directory.path, 'token'), TOKEN)
  for (const format of ['pretty', 'json']) {
    const ran = await runFixture(['show', '--token-file', 'token', '--log-format', format, '--log-level', 'trace'], {
      cwd: directory.path,
      env: { DATABASE_URL },
    })
    expect(ran.code).toBe(0)
    expect(ran.stderr).toContain('text [secret]')
    expect(ran.stdout).toContain('[secret] postgres://loader:***@db.example:5432/x false')
    for (const secret of [TOKEN, 'very%2Fsecret', 'very/secret']) expect(ran.stdout + ran.stderr).not.toContain(secret)
  }
})

test.concurrent('a silent log', async () => {
  expect(await runFixture(['show', '--log-level', 'silent'])).toMatchObject({ code: 0, stderr: '' })
})
