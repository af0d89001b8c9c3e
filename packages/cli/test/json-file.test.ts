import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runFixture } from './fixture/run.ts'

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'json-file-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('--json-file', () => {
  test.each([['--json-file'], ['--json-file=']])('%s writes the document besides the usual output', async (flag) => {
    const file = join(directory, `${flag.length}.json`)
    const ran = await runFixture(['show', ...(flag.endsWith('=') ? [flag + file] : [flag, file])])
    expect(ran.code).toBe(0)
    expect(ran.stdout).toContain('undefined undefined false')
    expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('settings')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })

  test('has the same document as --json', async () => {
    const file = join(directory, 'both.json')
    const ran = await runFixture(['show', '--json', '--json-file', file])
    expect(await readFile(file, 'utf8')).toBe(ran.stdout)
  })

  test.each([
    { args: ['fail', 'known'], error: { code: 'LOCKED', message: 'the lock is held: wait', exit_code: 11 } },
    { args: ['fial'], error: { code: 'USAGE', exit_code: 2 } },
  ])('has the error of a failure: $error.code', async ({ args, error }) => {
    const file = join(directory, `${error.code}.json`)
    const ran = await runFixture([...args, '--json-file', file])
    expect(ran.stdout).toBe('')
    expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ error })
  })

  test('is refused by a command that prints JSON lines, which has no document', async () => {
    const file = join(directory, 'lines.json')
    const ran = await runFixture(['stream', '--json-file', file])
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('unknown argument: --json-file'),
    ])
    expect((await runFixture(['stream', '--json'])).stdout).toBe('{"line":1}\n')
    expect((await runFixture(['stream', '--help'])).stdout).not.toContain('--json-file')
  })

  test('that cannot be written is a failure', async () => {
    const file = join(directory, 'missing/x.json')
    const ran = await runFixture(['show', '--json-file', file])
    expect([ran.code, ran.stderr.split('\n').at(-2)]).toEqual([
      1,
      `fixture: --json-file ${file} cannot be written (ENOENT)`,
    ])
  })
})
