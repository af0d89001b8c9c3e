import { execFile } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { run, type Started } from '@collab-etl/harness/commands'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { type Sandbox, startSandbox } from '@collab-etl/sandbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillWarehouse } from './fill-warehouse.ts'
import { settingsOf, warehouseInTurn } from './warehouse-in-turn.ts'

let sandbox: Sandbox

beforeAll(async () => {
  sandbox = await startSandbox({ projects: 3, tasks: 20, archived: 10, pages: 20, posts: 8, events: 5 })
})

afterAll(async () => {
  await sandbox.close()
})

const service = () => ({ COLLAB_BASE_URL: sandbox.baseUrl, COLLAB_TOKEN: sandbox.token })

/** Runs the command in an empty directory, so that no warehouse of anybody is found. */
async function exporter(args: readonly string[], env: Record<string, string> = {}) {
  return run('collab-export', args, { cwd: await scratch(), env })
}

const lines = (text: string) => text.trim().split('\n')

describe('collab-export backup', () => {
  test('without a warehouse reads the service, and says what, where, and how to look at it', async () => {
    const out = await scratch()
    const { code, stdout, stderr } = await exporter(['backup', '--out', out], service())
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [name = ''] = await readdir(out)
    expect(stdout).toContain(join(out, name))
    expect(stdout).toMatch(/3 projects, 20 pages, \d+ posts, \d+ comments/)
    expect(stdout).toMatch(/posts: \d+ of \d+ known/)
    expect(stdout).toContain('collab-export verify')
    expect(stdout).not.toContain(sandbox.token)
    const { stdout: checked } = await promisify(execFile)('sha256sum', ['-c', 'manifest-sha256.txt'], {
      cwd: join(out, 'latest'),
    })
    expect(checked).not.toContain('FAILED')
    const grep = promisify(execFile)('grep', ['-rF', sandbox.token, out])
    await expect(grep).rejects.toMatchObject({ code: 1 })
  })

  testThoroughly('takes the warehouse where it has a finished run of the same service', async () => {
    const options = await warehouseInTurn()
    const warehouse = await fillWarehouse(sandbox, options)
    const run = await warehouse.log.lastFinishedRun()
    await warehouse.close()
    const [out, settings] = [await scratch(), settingsOf(options)]
    const backup = (env: Record<string, string>, ...more: string[]) => exporter(['backup', '--out', out, ...more], env)
    const expectRefused = async (refused: ReturnType<typeof backup>, ...texts: string[]) => {
      const { code, stdout, stderr } = await refused
      expect({ code, stdout, lines: lines(stderr).length }).toEqual({ code: 2, stdout: '', lines: 1 })
      for (const text of texts) expect(stderr).toContain(text)
      expect(await readdir(out)).toEqual([])
    }
    const ahead = new Date(Date.now() + 3_600_000).toISOString()
    await expectRefused(backup(settings, '--as-of', ahead), 'is in the future; leave it out for the present state')
    await expectRefused(backup(settings, '--post', 'p:1'), '--from api')
    const other = 'http://127.0.0.1:9'
    const elsewhere = { ...settings, COLLAB_BASE_URL: other, COLLAB_TOKEN: 'token' }
    await expectRefused(backup(elsewhere), sandbox.baseUrl, other, '--from warehouse', '--from api')
    expect((await backup(elsewhere, '--from', 'warehouse')).code).toBe(0)
    expect((await backup({ ...elsewhere, COLLAB_BASE_URL: `${sandbox.baseUrl}/` })).code).toBe(0)
    const { code, stdout } = await backup(settings, '--json')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'complete',
      formats: ['csv', 'markdown'],
      counts: { projects: 3, pages: 20 },
      source: { kind: 'warehouse', run_id: run?.run_id, base_url: sandbox.baseUrl },
    })
  })

  test('writes the formats that are asked for', async () => {
    const out = await scratch()
    expect((await exporter(['backup', '--out', out, '--format', 'csv', '--bom'], service())).code).toBe(0)
    expect((await readdir(join(out, 'latest/data'))).sort()).toEqual(['backup.json', 'csv', 'report.html'])
    expect((await readFile(join(out, 'latest/data/csv/pages.csv'), 'utf8')).startsWith('\uFEFFpid,page_id,')).toBe(true)
    const plain = await scratch()
    expect((await exporter(['backup', '--out', plain, '--format', 'markdown'], service())).code).toBe(0)
    expect((await readdir(join(plain, 'latest/data'))).sort()).toEqual(['backup.json', 'markdown', 'report.html'])
  })

  test('reads the posts of a file, and links of the config file', async () => {
    const [pid = ''] = sandbox.pids
    const [unlinked = ''] = sandbox.store.truth(pid).unlinked_posts
    const cwd = await scratch()
    await writeFile(join(cwd, 'posts.csv'), `pid,post_id\r\n${pid},${unlinked}\r\n`)
    await writeFile(join(cwd, 'collab.yaml'), "links:\n  - kind: post\n    pattern: 'topic=(?<id>\\w+)'\n")
    const args = ['backup', '--out', 'out', '--posts-file', 'posts.csv', '--json']
    const { code } = await run('collab-export', args, { cwd, env: service() })
    expect(code).toBe(0)
    expect(await readFile(join(cwd, 'out/latest/data/csv/posts.csv'), 'utf8')).toContain(`${pid},${unlinked},`)
  })

  test('names streams that failed, with exit code 3', async () => {
    const [pid = ''] = sandbox.pids
    sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, times: 'always' })
    const env = { ...service(), COLLAB_RETRIES: '0' }
    const shown = await exporter(['backup', '--out', await scratch()], env)
    const json = await exporter(['backup', '--out', await scratch(), '--json'], env)
    sandbox.faults.clear()
    expect([shown.code, json.code]).toEqual([3, 3])
    expect(shown.stdout).toMatch(new RegExp(`${pid}\\s+pages\\s+failed\\s+120001`))
    expect(JSON.parse(json.stdout)).toMatchObject({ status: 'partial' })
  })

  const NO_WAREHOUSE =
    /no warehouse here \(looked in \.\/collab-data\); run collab-extract snapshot, or set DATABASE_URL/

  test.each([
    [['backup', '--format', 'csv'], /--out must be given/],
    [['backup', '--out', 'x', '--link', 'none', '--unchanged', 'hard'], /--link and --unchanged cannot be combined/],
    [['backup', '--out', 'x', '--as-of', '2024-01-01'], NO_WAREHOUSE],
    [['backup', '--out', 'x', '--as-of', '2024-01-01', '--from', 'api'], /--as-of is for --from warehouse/],
    [['backup', '--out', 'x', '--as-of', 'yesterday'], /--as-of/],
    [['backup', '--out', 'x', '--from', 'warehouse'], NO_WAREHOUSE],
    [['backup', '--out', 'x'], /--base-url/],
    [['verify', '.'], /is neither a backup nor|no backup/],
    [['diff', 'a', 'b'], /a is neither a backup nor/],
    [['view', 'a'], /a is neither a backup nor/],
    [['restore', 'a', '--to-project', 'P'], /--base-url/],
    [['restore', 'a', '--to-project', 'P', '--settle', '-1'], /--settle/],
    [['tidy'], /--help/],
  ])('%j is refused in one line, with exit code 2, and touches nothing', async (args, message) => {
    const cwd = await scratch()
    const { code, stderr, stdout } = await run('collab-export', args, { cwd })
    expect(code).toBe(2)
    expect(lines(stderr)).toHaveLength(1)
    expect(stderr).toMatch(message)
    expect(stdout).toBe('')
    expect(await readdir(cwd)).toEqual([])
  })

  test('in a directory that cannot be made is refused with exit code 2', async () => {
    const file = join(await scratch(), 'file')
    await writeFile(file, '')
    const { code, stderr } = await exporter(['backup', '--out', join(file, 'x')], service())
    expect(code).toBe(2)
    expect(stderr).toMatch(/no backup can be written to .*: a part of the path is a file/)
  })

  test.runIf(process.platform === 'linux')(
    'in a directory that takes no child is refused and does not hang',
    async () => {
      for (const out of ['/proc/x', '/proc/x/y']) {
        const { code, stderr } = await exporter(['backup', '--out', out], service())
        expect(code).toBe(2)
        expect(stderr).toMatch(/^.*no backup can be written to \/proc\/x.*: there is no such directory\n$/)
      }
    },
  )

  test('with a wrong token ends with exit code 4, without a service with 1, and leaves nothing', async () => {
    const out = join(await scratch(), 'out')
    const wrong = await exporter(['backup', '--out', out], { ...service(), COLLAB_TOKEN: 'wrong-token' })
    expect(wrong).toMatchObject({ code: 4, stderr: expect.stringContaining('100006') })
    expect(wrong.stderr).not.toContain('wrong-token')
    sandbox.setQuirks(['code-401=999999@8'])
    const refused = await exporter(['backup', '--from', 'api', '--out', out], service())
    sandbox.setQuirks([])
    expect(refused).toMatchObject({ code: 4, stderr: expect.stringContaining('999999') })
    const unused = { ...service(), COLLAB_BASE_URL: 'http://127.0.0.1:9', COLLAB_RETRIES: '0' }
    const unreachable = await exporter(['backup', '--out', out], unused)
    expect(unreachable).toMatchObject({ code: 1, stderr: expect.stringContaining('--base-url') })
    await expect(readdir(out)).rejects.toMatchObject({ code: 'ENOENT' })
  })

  test('interrupted ends in order, with nothing left', async () => {
    const out = await scratch()
    const stop = sandbox.beforeRequest(async ({ operation }) => {
      if (operation === 'pages.list') command?.kill('SIGINT')
      await new Promise((resolve) => setTimeout(resolve, 50))
    })
    let command: Started | undefined
    const { code, stderr } = await run('collab-export', ['backup', '--out', out], {
      cwd: await scratch(),
      env: service(),
      onStart: (started) => {
        command = started
      },
    })
    stop()
    expect(code).toBe(130)
    expect(stderr).toMatch(/interrupted/)
    expect(await readdir(out)).toEqual([])
  })
})

describe('collab-export verify', () => {
  test('says whole, or names every damaged path with exit code 5', async () => {
    const out = await scratch()
    await exporter(['backup', '--out', out, '--format', 'csv'], service())
    const whole = await exporter(['verify', out])
    expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Intact: /) })
    await writeFile(join(out, 'latest/data/csv/posts.csv'), 'x')
    await writeFile(join(out, 'latest/data/csv/more.csv'), 'x')
    const damaged = await exporter(['verify', join(out, 'latest')])
    expect(damaged.code).toBe(5)
    expect(lines(damaged.stdout).slice(0, 2)).toEqual([
      'extra       data/csv/more.csv',
      expect.stringMatching(/^truncated {3}data\/csv\/posts\.csv {2}\(1 bytes instead of \d+\)$/),
    ])
    const json = await exporter(['verify', join(out, 'latest'), '--fast', '--json'])
    expect(json.code).toBe(5)
    expect(JSON.parse(json.stdout)).toMatchObject({
      status: 'damaged',
      mode: 'fast',
      damage: [
        { kind: 'extra', path: 'data/csv/more.csv', detail: null },
        { kind: 'truncated', path: 'data/csv/posts.csv' },
      ],
    })
  })
})
