import { testThoroughly } from '@collab-etl/harness/thorough'
/** @module-tag thorough */

import { readdir, writeFile } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { embedded, openWorld, quick, type World } from './world.ts'

/** One service and one warehouse for all that changes neither. */
let at: World
beforeAll(async () => {
  at = await openWorld()
})
afterAll(() => at[Symbol.asyncDispose]())

describe('init', () => {
  test('makes the schema, and the second time says that it is there', async () => {
    await using fresh = await openWorld({ warehouse: false })
    const made = await fresh.extract(['init'])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toMatch(/^Created the schema collab, version \d+: /)
    expect((await fresh.extract(['init'])).stdout).toMatch(/^The schema collab is already at version \d+: /)
    const { from, to } = JSON.parse((await fresh.extract(['init', '--json'])).stdout)
    expect(from).toBe(to)
  })
})

describe('check', () => {
  test('one line for each thing', async () => {
    await using fresh = await openWorld({ warehouse: false }, embedded)
    const ran = await fresh.extract(['check'])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    const [lines = '', offers] = ran.stdout.split('\n\n')
    expect(lines.split('\n').map((line) => line.slice(0, 17).trimEnd())).toEqual([
      ...['ok     token', 'ok     service', 'ok     database', 'ok     schema'],
    ])
    expect(offers).toMatch(/^GET \/v1\/posts +not offered +/m)
    expect(ran.stdout).toContain('collab does not exist yet. The first snapshot creates it')
    expect((await at.extract(['check'])).stdout).toMatch(/^ok {5}schema {4}collab is at version \d+$/m)
  })

  test.each([
    { edge: 'a wrong token', env: { COLLAB_TOKEN: 'wrong-token' }, code: 4, failed: ['token'] },
    { edge: 'no token', env: { COLLAB_TOKEN: '' }, code: 2, failed: ['token'] },
    { edge: 'no address', env: { COLLAB_BASE_URL: '' }, code: 2, failed: ['service'] },
    {
      edge: 'no service',
      env: { COLLAB_BASE_URL: 'http://127.0.0.1:1', COLLAB_RETRIES: '0' },
      code: 1,
      failed: ['service'],
    },
    { edge: 'no database', env: { DATABASE_URL: 'postgres://127.0.0.1:1/d' }, code: 1, failed: ['database'] },
    {
      edge: 'no data directory',
      env: { DATABASE_URL: '', COLLAB_DATA_DIR: '/dev/null/x' },
      code: 2,
      failed: ['database'],
    },
    {
      edge: 'neither token nor database: the first failure counts',
      env: { COLLAB_TOKEN: 'wrong-token', DATABASE_URL: '', COLLAB_DATA_DIR: '/dev/null/x' },
      code: 4,
      failed: ['token', 'database'],
    },
  ])('$edge: exit $code, with what to do', async ({ env, code, failed }) => {
    const ran = await at.extract(['check', '--json'], { env })
    expect(ran.code).toBe(code)
    const { checks, ok } = JSON.parse(ran.stdout)
    expect(ok).toBe(false)
    const failures = checks.filter(({ status }: { status: string }) => status === 'failed')
    expect(failures.map(({ name }: { name: string }) => name)).toEqual(failed)
    for (const { advice } of failures) expect(advice).toMatch(/\w+/)
    const names = checks.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['token', 'service', 'database', 'schema', ...(failed.includes('database') ? [] : ['runs'])])
  })
})

test('check tells how fresh the data is', async () => {
  await using world = await openWorld({}, quick)
  const runs = async () => (await world.extract(['check'])).stdout.split('\n')[4]
  expect(await runs()).toBe('ok     runs      there was none yet. Run collab-extract snapshot')
  await world.extract(['snapshot'])
  expect(await runs()).toMatch(/^ok {5}runs {6}the last one began \S+ ?\S* ago \(succeeded\)$/)
  const [pid = ''] = world.sandbox.pids
  world.sandbox.faults.add({ kind: 'error', operation: 'pages.list', where: { pid }, times: 'always' })
  await world.extract(['snapshot'], { env: { COLLAB_RETRIES: '0' } })
  expect(await runs()).toMatch(
    /the last one began .* ago \(partial\), the last one that succeeded .* ago. collab-extract runs \S+ shows what is missing$/,
  )
})

describe('check of how the token travels', () => {
  /** A service behind a proxy that loses the token in the header or in the query, with this answer. */
  async function behindProxy(loses: 'header' | 'query' | 'both', refuse: (response: ServerResponse) => void) {
    const seen: string[] = []
    const server = createServer(({ url = '', headers }, response) => {
      const inHeader = headers['access_token'] !== undefined && loses === 'query'
      const inQuery = url.includes('access_token=') && loses === 'header'
      seen.push(headers['access_token'] === undefined ? 'query' : 'header')
      if (inHeader || inQuery) response.writeHead(200, { 'content-type': 'application/json' }).end('[]')
      else refuse(response)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const check = (tokenIn: string) => {
      const env = {
        COLLAB_BASE_URL: `http://127.0.0.1:${port}`,
        COLLAB_TOKEN: 'hush-hush-token',
        COLLAB_TOKEN_IN: tokenIn,
      }
      return at.extract(['check', '--log-level', 'trace'], { env })
    }
    return { seen, check }
  }

  const error = (code: number, status: number) => (response: ServerResponse) =>
    void response.writeHead(status).end(JSON.stringify({ error_code: code, error_message: '', request: '' }))
  const html = (response: ServerResponse) => void response.writeHead(401, { 'content-type': 'text/html' }).end('<html>')

  test.each([
    { given: 'header', works: 'query', refuse: error(100005, 401), says: /not authorized \(100005, HTTP 401\)/ },
    { given: 'header', works: 'query', refuse: error(999, 401), says: /\(999, HTTP 401\)/ },
    { given: 'header', works: 'query', refuse: html, says: /HTTP 401 \(text\/html\)/ },
    { given: 'query', works: 'header', refuse: error(100005, 401), says: /not authorized/ },
  ] as const)(
    'refused in the $given: tries the $works, and says that it works',
    async ({ given, works, refuse, says }) => {
      const { seen, check } = await behindProxy(given, refuse)
      const { code, stdout, stderr } = await check(given)
      expect(code).toBe(4)
      expect(stdout).toMatch(says)
      expect(stdout).toMatch(
        new RegExp(`^FAILED token .*accepted in the .*Set --token-in ${works} \\(COLLAB_TOKEN_IN=`),
      )
      expect(seen).toEqual([given, works])
      expect(stdout + stderr).not.toContain('hush-hush')
    },
  )

  test('refused both ways: says so, and asks for a new token', async () => {
    const { seen, check } = await behindProxy('both', error(100005, 401))
    expect((await check('header')).stdout).toMatch(/refused in the query string too: .*Get a new token/)
    expect(seen).toEqual(['header', 'query'])
  })

  test('a token that arrived and is incorrect is not sent another way', async () => {
    const { seen, check } = await behindProxy('both', error(100006, 400))
    expect((await check('header')).stdout).toMatch(/^FAILED token +refused: access_token incorrect \(100006/)
    expect(seen).toEqual(['header'])
  })
})

describe('runs', () => {
  test('the run log, a run by the beginning of its id, and an unknown run', async () => {
    expect(await at.extract(['runs', '--schema', 'other'])).toMatchObject({ code: 2 })
    expect((await at.extract(['runs'])).stdout).toMatch(/^No runs yet/)
    const { run_id: id } = JSON.parse((await at.extract(['snapshot', '--json'])).stdout)

    const log = await at.extract(['runs'])
    expect(log.stdout).toContain(id)
    expect(log.stdout).toContain('succeeded')
    const one = await at.extract(['runs', id.slice(0, 8)])
    expect(one.stdout).toMatch(new RegExp(`^Run ${id} of http`))
    expect(one.stdout).toMatch(
      /^archived_tasks {2}complete +\d+ +\d+ +\d+ +\d+ +[\d.]+ k?B {2}\d\d:\d\d:\d\d {2}\d\d:\d\d:\d\d {2}[0-9a-f]{12}$/m,
    )
    expect(Math.max(...one.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
    const details = JSON.parse((await at.extract(['runs', id, '--json'])).stdout)
    expect(details).toMatchObject({ run: { run_id: id }, losses: [] })
    expect(details.scopes.length).toBeGreaterThan(8)
    const [scope] = details.scopes.filter(({ stream }: { stream: string }) => stream === 'tasks')
    expect(scope).toMatchObject({
      records_read: expect.any(Number),
      rows_read: expect.any(Number),
      bytes: expect.any(Number),
      content_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    })

    expect(one.stdout).toMatch(/^project [^(]+ \([0-9a-f]+\)$/m)
    expect((await at.extract(['runs', 'latest'])).stdout).toBe(one.stdout)
    expect(log.stdout).toMatch(/^run +status +took +new +changed +deleted +requests/)
    const [listed] = JSON.parse((await at.extract(['runs', '--json'])).stdout).runs
    expect(listed).toMatchObject({ rows_inserted: expect.any(Number), rows_updated: 0, rows_deleted: 0 })

    const missing = await at.extract(['runs', 'zzz'])
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('no run has the id zzz')
  })

  testThoroughly('show the projects and streams that each run was to read', async () => {
    await using at = await openWorld()
    const [pid = ''] = at.sandbox.pids
    await at.extract(['snapshot'])
    await at.extract(['snapshot', '--project', pid, '--streams', 'tasks,posts', '--post', `${pid}:1`])
    const { runs } = JSON.parse((await at.extract(['runs', '--json'])).stdout)
    expect(runs).toMatchObject([
      { covers_all: false, options: { projects: [pid], streams: ['tasks', 'posts'], events_from: null } },
      { covers_all: true, options: { projects: null, named_posts: {}, links: null } },
    ])
    expect(Object.keys(runs[0].options.named_posts)).toEqual([pid])
    expect((await at.extract(['runs'])).stdout).toMatch(/ part .*\n.* all /)
    const shown = await at.extract(['runs', runs[0].run_id])
    expect(shown.stdout).toMatch(new RegExp(`^Covers 1 project: .+ \\(${pid}\\); streams: tasks, posts$`, 'm'))
  })
})

describe('without a warehouse', () => {
  const NONE = /no warehouse here \(looked in \.\/collab-data\); run collab-extract snapshot, or set DATABASE_URL\n$/

  test.each([['runs'], ['runs', 'latest'], ['query', 'SELECT 1'], ['docs'], ['compare']])(
    '%s %s: exit 2, nothing is created',
    async (...args) => {
      await using fresh = await openWorld({ warehouse: false }, embedded)
      const ran = await fresh.extract(args, { env: { COLLAB_DATA_DIR: '' } })
      expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(NONE) })
      expect(await readdir(fresh.path)).toEqual([])
    },
  )

  test('check says so, and creates nothing', async () => {
    await using fresh = await openWorld({ warehouse: false }, embedded)
    const ran = await fresh.extract(['check'], { env: { COLLAB_DATA_DIR: '' } })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(ran.stdout).toContain('no warehouse here (looked in ./collab-data). The first snapshot creates it')
    expect(await readdir(fresh.path)).toEqual([])
  })
})

describe('query', () => {
  test('reads the statement from a file or from stdin', async () => {
    await using directory = await scratchDirectory()
    const file = join(directory.path, 'report.sql')
    await writeFile(file, "\uFEFFSELECT 'from a file' AS source;\n")
    expect((await at.extract(['query', '-f', file, '--csv'])).stdout).toBe('source\r\nfrom a file\r\n')
    const piped = await at.extract(['query', '-', '--csv'], {
      through: ['bash', '-c', `echo "SELECT 'from stdin' AS source" | "$0" "$@"`],
    })
    expect(piped.stdout).toBe('source\r\nfrom stdin\r\n')
    for (const [args, says] of [
      [['-f', '/none.sql'], '-f: /none.sql cannot be read (ENOENT)'],
      [['-f', file, 'SELECT 1'], 'give either the SQL or -f FILE, not both'],
    ] as const) {
      const ran = await at.extract(['query', ...args])
      expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining(says)])
    }
  })

  test("a wrong statement: Postgres's position and hint", async () => {
    const ran = await at.extract(['query', 'SELECT pid,\n  nme\nFROM collab.projects'])
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(ran.stderr).toBe(
      'collab-extract: column "nme" does not exist, at line 2, column 3: nme. ' +
        'Hint: Perhaps you meant to reference the column "projects.name".\n',
    )
  })

  test('a table, JSON, CSV', async () => {
    const sql = `SELECT 1 AS n, 'a "quoted", text' AS "text", NULL AS nothing, true AS yes`
    expect((await at.extract(['query', sql])).stdout).toMatch(
      /^n {2}text +nothing +yes\n.*\n1 {2}a "quoted", text +true\n$/,
    )
    expect(JSON.parse((await at.extract(['query', sql, '--json'])).stdout)).toEqual({
      columns: ['n', 'text', 'nothing', 'yes'],
      rows: [[1, 'a "quoted", text', null, true]],
    })
    expect((await at.extract(['query', sql, '--csv'])).stdout).toBe(
      'n,text,nothing,yes\r\n1,"a ""quoted"", text",,true\r\n',
    )
  })

  test('NaN and infinite numbers are texts in JSON, and as they are in CSV', async () => {
    const sql = `SELECT 'NaN'::float8 AS a, 'Infinity'::float8 AS b, '-Infinity'::float8 AS c, '-Infinity'::numeric AS d`
    const { rows } = JSON.parse((await at.extract(['query', sql, '--json'])).stdout)
    expect(rows).toEqual([['NaN', 'Infinity', '-Infinity', '-Infinity']])
    expect((await at.extract(['query', sql, '--csv'])).stdout).toBe('a,b,c,d\r\nNaN,Infinity,-Infinity,-Infinity\r\n')
  })

  test('CSV defuses formulas behind hidden characters, in its header too; raw cells are exact', async () => {
    const sql = `SELECT chr(8206) || '=1' AS "=a", chr(133) || '+1' AS b, 'x;=1' AS c, '-5'::numeric AS d`
    expect((await at.extract(['query', sql, '--csv'])).stdout).toBe("'=a,b,c,d\r\n'\u200e=1,'\u0085+1,\"x;=1\",-5\r\n")
    expect((await at.extract(['query', sql, '--csv', '--raw-cells'])).stdout).toContain('\r\n\u200e=1,\u0085+1,')
  })

  test.each([
    { edge: 'no SQL', args: [], says: /an argument is missing/ },
    {
      edge: 'both forms',
      args: ['SELECT 1', '--csv', '--json'],
      says: /--csv and --json cannot be combined|--json and --csv cannot be combined/,
    },
    { edge: 'no time at all', args: ['SELECT 1', '--query-timeout', '0'], says: /must be above 0/ },
  ])('$edge: exit 2', async ({ args, says }) => {
    const ran = await at.extract(['query', ...args])
    expect(ran.code).toBe(2)
    expect(ran.stderr).toMatch(says)
  })
})
