import { execFile } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnvironment, run, scratchDirectory } from '@collab-etl/harness/commands'
import { describeThoroughly } from '@collab-etl/harness/thorough'
import { describe, expect, test } from 'vitest'
import { readNights } from '../src/run/record.ts'

const ROOT = join(import.meta.dirname, '../../..')

const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The command in a directory of its own. */
async function nightly(cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) {
  return await run('collab-nightly', args, { cwd, env: { COLLAB_RETRIES: '1', ...env } })
}

/** Takes the usual port of the sample service. */
async function onUsualPort(): Promise<AsyncDisposable> {
  const squatter = createServer()
  await new Promise<void>((resolve) => {
    squatter.once('error', () => resolve()) // taken by something else: just as well
    squatter.listen(4010, '127.0.0.1', resolve)
  })
  return { [Symbol.asyncDispose]: async () => void squatter.close() }
}

/** The sample service was on another port than the usual one, and has ended. */
async function expectServiceGone(cwd: string): Promise<void> {
  const [night] = await readNights(join(cwd, 'collab-sample/collab-backup'))
  const address = night?.base_url ?? ''
  expect(new URL(address).port).not.toBe('4010')
  await expect(fetch(address)).rejects.toThrow('fetch failed')
}

/** The output of the README's first minute is that of the trial, apart from figures. */
function expectReadmesOutput(stdout: string): void {
  const [, output = ''] = /<!-- output: trial -->\n```text\n([\s\S]*?)```/.exec(README) ?? []
  const withoutFigures = (text: string) => text.split('\n').map((line) => line.replaceAll(/\S*\d\S*/g, '#'))
  const shown = withoutFigures(output).filter((line) => line !== '' && line !== '…')
  expect(shown.length).toBeGreaterThan(5)
  expect(withoutFigures(stdout)).toEqual(expect.arrayContaining(shown))
}

/** The commands of the README's first minute work on what a trial left. */
async function readmesFirstMinute(cwd: string): Promise<void> {
  const [, script = ''] = /<!-- run: trial -->\n```sh\n([\s\S]*?)```/.exec(README) ?? []
  const ran = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], { cwd, env: cleanEnvironment() })
  expect(ran.stdout).toContain('site/latest/data/html/index.html')
}

describeThoroughly('collab-nightly trial', () => {
  // ten processes, two of which make a database
  test('runs on a free port, says what was read, and leaves no service behind', async () => {
    await using scratch = await scratchDirectory()
    await using _squatter = await onUsualPort()
    const ran = await nightly(scratch.path, ['trial'])
    expect(ran.stderr).toBe('')
    expect(ran.code).toBe(0)
    for (const text of [
      ...['sample service', 'Step 1 of 3', 'succeeded', 'Step 3 of 3', 'Done: everything', 'This was sample data'],
    ]) {
      expect(ran.stdout).toContain(text)
    }
    expect(readdirSync(scratch.path)).toEqual(['collab-sample'])
    expect(readdirSync(join(scratch.path, 'collab-sample')).sort()).toEqual(['collab-backup', 'collab-data'])
    expect(existsSync(join(scratch.path, 'collab-sample/collab-backup/latest/manifest-sha256.txt'))).toBe(true)
    await expectServiceGone(scratch.path)
    expectReadmesOutput(ran.stdout)
    const [, args = '', sql = ''] =
      /^ {2}(?:npx --no-install )?collab-extract (query.*) "(.*)"$/m.exec(ran.stdout) ?? []
    expect(await run('collab-extract', [...args.split(' '), sql], { cwd: scratch.path })).toMatchObject({ code: 0 })
    await readmesFirstMinute(scratch.path)
  }, 300_000)
})

describe('mistakes: exit 2, and nothing was touched', () => {
  test.each([
    { edge: 'an address without a token', env: { COLLAB_BASE_URL: 'https://a.example' }, says: /no access token/ },
    { edge: 'a token without an address', env: { COLLAB_TOKEN: 'some-token' }, says: /not the address of the service/ },
    {
      edge: 'a database and no service',
      env: { DATABASE_URL: 'postgres://user@db.example/collab' },
      args: ['--or-trial'],
      says: /a trial on sample data below .\/collab-sample, which does not accept DATABASE_URL/,
    },
    {
      edge: 'a trial in a warehouse for real data',
      env: { COLLAB_DATA_DIR: 'data' },
      args: ['trial'],
      says: /a trial on sample data below .\/collab-sample, which does not accept COLLAB_DATA_DIR/,
    },
    {
      edge: 'backups elsewhere and no service',
      args: ['--or-trial', '--out', 'backups'],
      says: /does not accept --out:/,
    },
    {
      edge: 'no settings and no terminal',
      says: /neither an address \(COLLAB_BASE_URL\) nor a token .* is set, and \/\S+ has no collab.yaml: set them, /,
    },
    { edge: 'a bad setting', env: { COLLAB_RATE: 'fast' }, says: /COLLAB_RATE must be/ },
    { edge: 'a command that it does not have', args: ['backup'], says: /unknown command: backup/ },
  ])('$edge', async ({ env = {}, args = [], says }) => {
    await using scratch = await scratchDirectory()
    const ran = await nightly(scratch.path, args, env)
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^collab-nightly: [^\n]+\n$/)
    expect(ran.stderr).toMatch(says)
    expect(readdirSync(scratch.path)).toEqual([])
  })
})

describe('without a service and a terminal: exit 2', () => {
  test('names a file beside collab.yaml that may have been meant', async () => {
    await using scratch = await scratchDirectory()
    await writeFile(join(scratch.path, 'collab.yml'), 'base_url: https://a.example\n')
    const ran = await nightly(scratch.path, ['--quiet'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toContain(
      `and ${scratch.path} has no collab.yaml, but collab.yml: set them, or give --config FILE`,
    )
    expect(readdirSync(scratch.path)).toEqual(['collab.yml'])
  })

  test('is on record if the config file has nightly:', async () => {
    await using scratch = await scratchDirectory()
    const file = join(scratch.path, 'collab.yaml')
    await writeFile(file, 'nightly:\n  out: b\n')
    const ran = await nightly(scratch.path)
    expect(ran.code).toBe(2)
    expect(ran.stderr).toContain(`and ${file} has neither base_url nor token_file: set them`)
    expect(await readNights(join(scratch.path, 'b'))).toMatchObject([{ exit_code: 2 }])
  })

  // macOS has another `script`
  test.runIf(process.platform === 'linux')('at a terminal, it would be a trial', async () => {
    await using scratch = await scratchDirectory()
    const command = join(ROOT, 'node_modules/.bin/collab-nightly')
    const env = { ...cleanEnvironment(), COLLAB_DATA_DIR: 'data' }
    const refused = promisify(execFile)('script', ['-qec', command, '/dev/null'], { cwd: scratch.path, env })
    await expect(refused).rejects.toMatchObject({
      code: 2,
      stdout: expect.stringContaining('this is a trial on sample'),
    })
  })

  test('npm start runs a trial all the same', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(scripts.start).toMatch(/&& collab-nightly --or-trial$/)
  })
})
