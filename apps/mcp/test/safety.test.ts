import { spawn } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { cleanEnvironment, run } from '@collab-etl/harness/commands'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { onServer, postgresServer } from '@collab-etl/harness/postgres'
import { scratch } from '@collab-etl/harness/scratch'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { openWarehouse } from '@collab-etl/warehouse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect, makeSources, PASSWORD, type Sources } from './sources.ts'

const PROGRAM = join(import.meta.dirname, '../bin/collab-mcp.js')
let sources: Sources

beforeAll(async () => {
  sources = await makeSources([])
})
afterAll(() => sources[Symbol.asyncDispose]())

/** Runs the program with this stdin to its end. */
async function piped(args: readonly string[], stdin: string, env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    cwd: await scratch(),
    env: { ...cleanEnvironment(), ...env },
  })
  child.stdin.on('error', () => {}) // it may have ended before
  child.stdin.end(stdin)
  const ended = new Promise((resolve) => child.on('close', resolve))
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { code: await ended, stdout, stderr }
}

const request = (id: number, method: string, params: unknown) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`
const initialize = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 't', version: '1' },
})

test('calls before the end of stdin are answered, stdout has only these, the exit code is 0', async () => {
  const calls = [2, 3, 4].map((id) => request(id, 'tools/call', { name: 'list_tasks', arguments: { limit: id } }))
  const { code, stdout } = await piped([], `${initialize}not JSON\n${calls.join('')}`, {
    ...sources.warehouse,
    COLLAB_LOG_LEVEL: 'trace',
  })
  expect(code).toBe(0)
  const answers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(answers.map(({ jsonrpc, id }) => [jsonrpc, id]).sort()).toEqual([1, 2, 3, 4].map((id) => ['2.0', id]))
  expect(answers.find(({ id }) => id === 4).result.isError).toBeUndefined()
})

test('without a warehouse or a backup it ends with 2 and says what to name; stdout stays empty', async () => {
  const none = await piped([], '')
  expect(none).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/DATABASE_URL or --data-dir, or a backup/),
  })
  const empty = await piped(['--backup', await scratch()], '')
  expect(empty).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('neither a backup nor') })
})

testThoroughly('changed manifests of a backup are refused with 5, a changed file fails its calls', async () => {
  const [tags, file] = [await scratch(), await scratch()]
  await run('collab-export', ['backup', '--format', 'jsonl', '--out', join(tags, 'b')], { env: sources.warehouse })
  await copyDirectory(join(tags, 'b'), join(file, 'b'))
  await appendFile(join(tags, 'b/latest/bag-info.txt'), 'Note: changed\n')
  expect(await piped(['--backup', join(tags, 'b')], '')).toMatchObject({ code: 5, stdout: '' })
  const manifest = await readFile(join(file, 'b/latest/manifest-sha256.txt'), 'utf8')
  const pages = manifest.match(/data\/jsonl\/\S+\/pages\.jsonl/g) ?? []
  for (const path of pages) await appendFile(join(file, 'b/latest', path), '{}\n')
  await using server = await connect(['--backup', join(file, 'b')])
  expect(await server.call('search', { query: 'a', kinds: ['page'] })).toBe(
    'error: the backup cannot be read (DAMAGED); the log of collab-mcp says why',
  )
  expect(await server.call('list_tasks', { limit: 1 })).toHaveProperty('items.length', 1)
  expect(server.stderr()).toContain('pages.jsonl')
})

testThoroughly('an embedded warehouse is free between calls, and in use elsewhere it says so', async () => {
  const dataDir = join(await scratch(), 'data')
  await makeEmptyWarehouse(dataDir)
  await using server = await connect(['--data-dir', dataDir])
  expect(await server.call('list_projects')).toEqual({ items: [] })
  const warehouse = await openWarehouse({ dataDir, schema: 'collab' })
  expect(await server.call('list_projects')).toMatch(/^error: the embedded warehouse is in use by another process/)
  await warehouse.close()
  expect(await server.call('sql', { statement: 'SELECT count(*)::int FROM projects' })).toEqual({
    columns: ['count'],
    rows: [[0]],
  })
})

test('changes_since gives the changes of the last run, in parts, or since a run or time', async () => {
  const [pid = ''] = sources.sandbox.pids
  const [renamed] = sources.sandbox.store.truth(pid).tasks
  const gone = sources.sandbox.store.truth(pid).tasks.at(-1)
  sources.sandbox.store.change(pid, ({ tasks }) => {
    const [first] = tasks
    if (first) first.name = 'Renamed'
    tasks.pop()
  })
  const service = {
    ...sources.warehouse,
    COLLAB_BASE_URL: sources.sandbox.baseUrl,
    COLLAB_TOKEN: sources.sandbox.token,
  }
  expect(await run('collab-extract', ['snapshot'], { env: service })).toMatchObject({ code: 0 })
  await using server = await connect([], sources.warehouse)
  const { runs } = (await server.call('run_status')) as { runs: { run_id: string; started_at: string }[] }
  const changed = {
    ...{
      change: 'changed',
      table: 'tasks',
      pid,
      key: { pid, tid: renamed?.tid },
      name: 'Renamed',
      run_id: runs[0]?.run_id,
    },
    at: runs[0]?.started_at,
    columns: ['name'],
    old: { name: renamed?.name },
    new: { name: 'Renamed' },
  }
  const deleted = { change: 'deleted', table: 'tasks', key: { pid, tid: gone?.tid }, name: gone?.name }
  const ask = async (args: Record<string, unknown>) =>
    (await server.call('changes_since', { tables: ['tasks'], ...args })) as { items: unknown[]; next_offset?: number }
  const all = await ask({})
  expect(all).toMatchObject({ since: runs[1]?.started_at })
  expect(all.items).toHaveLength(2)
  expect(all.items).toEqual(expect.arrayContaining([changed, expect.objectContaining(deleted)]))
  const first = await ask({ limit: 1 })
  expect(first).toEqual({ ...all, items: all.items.slice(0, 1), next_offset: 1 })
  expect((await ask({ limit: 1, offset: 1 })).items).toEqual(all.items.slice(1))
  expect((await ask({ since: runs[1]?.run_id, net: true })).items).toHaveLength(2)
  expect((await ask({ since: runs[0]?.started_at })).items).toEqual([])
  expect((await ask({ since: '2001-01-01', pid: 'none' })).items).toEqual([])
  expect(await ask({ since: 'nothing' })).toBe('error: no run has this id: run_status lists the latest')
})

describe.skipIf(postgresServer() === null)('sql on Postgres', () => {
  test('reads, within limits of rows and bytes', async () => {
    await using server = await connect(['--query-timeout', '2'], sources.warehouse)
    const sql = (statement: string, limit?: number) => server.call('sql', { statement, ...(limit && { limit }) })
    expect(await sql('SELECT name FROM projects WHERE deleted_at IS NULL ORDER BY name', 2)).toMatchObject({
      columns: ['name'],
      rows: { length: 2 },
      cut: expect.stringContaining('after 2 rows'),
    })
    expect(await sql('SELECT 1 AS a; -- comment')).toEqual({ columns: ['a'], rows: [[1]] })
    expect(await sql("SELECT 'NaN'::float8, '-Infinity'::float8")).toMatchObject({ rows: [['NaN', '-Infinity']] })
    expect(await sql("SELECT repeat('x', 300000) FROM generate_series(1, 10)", 5)).toMatchObject({ rows: [] })
    expect(await sql("SELECT repeat('x', 30000000)")).toMatch(/^error: the result has more than 4000000 bytes/)
    expect(await sql('SELECT generate_series(1, 1e12)', 1)).toMatchObject({ rows: [['1']] })
    expect(await sql('SELECT nothing FROM projects')).toBe(
      'error: column "nothing" does not exist, at line 1, column 8: nothing FROM projects',
    )
    expect(await sql('SELECT pg_sleep(60)')).toMatch(/^error: .*timeout/)
  })

  test('changes nothing and reaches no file, program or other server', async () => {
    await using server = await connect([], sources.warehouse)
    for (const statement of [
      'DELETE FROM tasks',
      'WITH gone AS (DELETE FROM tasks RETURNING 1) SELECT * FROM gone',
      'SELECT 1; DELETE FROM tasks',
      "COPY tasks TO PROGRAM 'cat'",
      "SELECT pg_read_file('/etc/passwd')",
      "SELECT lo_import('/etc/passwd')",
      'SELECT * FROM pg_hba_file_rules',
      'SELECT rolpassword FROM pg_authid',
      "SELECT dblink_connect('host=127.0.0.1')",
      'EXPLAIN ANALYZE DELETE FROM tasks',
      "SELECT nextval('x') FROM (SELECT set_config('transaction_read_only', 'off', false)) s",
      'SELECT * INTO copied FROM tasks',
    ]) {
      expect(await server.call('sql', { statement }), statement).toMatch(/^error: /)
    }
    expect(await server.call('sql', { statement: 'SELECT count(*)::int FROM tasks' })).toEqual({
      columns: ['count'],
      rows: [[80]],
    })
  })

  test('no result, error or log holds the password of the database', async () => {
    await using server = await connect(['--log-level', 'trace'], sources.warehouse)
    const answers = [
      await server.call('sql', { statement: 'SELECT * FROM pg_stat_activity' }),
      await server.call('sql', {
        statement: "SELECT name, setting, reset_val FROM pg_settings WHERE setting LIKE '%secret%'",
      }),
      await server.call('sql', { statement: `SELECT '${'x'.repeat(50)}'::int` }),
      await server.call('run_status'),
    ]
    expect(JSON.stringify(answers)).not.toContain(PASSWORD)
    const closed = { DATABASE_URL: (sources.warehouse['DATABASE_URL'] ?? '').replace(/:\d+\//, ':1/') }
    const { code, stdout, stderr } = await piped(['--log-level', 'trace'], '', closed)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr + server.stderr()).not.toContain(PASSWORD)
  })

  testThoroughly('a role of init --grant-read may use every tool', async () => {
    const own = new URL(sources.warehouse['DATABASE_URL'] ?? '')
    const server = Object.assign(new URL(postgresServer() ?? ''), { pathname: own.pathname }).href
    const role = `reader_${own.pathname.slice(1)}`
    await onServer(server, `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`)
    expect(await run('collab-extract', ['init', '--grant-read', role], { env: sources.warehouse })).toMatchObject({
      code: 0,
    })
    {
      await using reader = await connect([], { DATABASE_URL: Object.assign(own, { username: role }).href })
      const { tools } = await reader.client.listTools()
      for (const { name } of tools.filter(({ name }) => !name.startsWith('read_'))) {
        const args =
          { search: { query: 'a' }, sql: { statement: 'TABLE runs' }, list_members: { pid: 'p' } }[name] ?? {}
        expect(await reader.call(name, args), name).toBeTypeOf('object')
      }
      for (const [name, id] of [
        ['page', 'page_id'],
        ['post', 'post_id'],
        ['task', 'tid'],
      ] as const) {
        expect(await reader.call(`read_${name}`, { pid: 'p', [id]: 'x' })).toMatch(/does not exist here/)
      }
    }
    await onServer(server, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
  })

  testThoroughly('a superuser, and a role that reads secrets, may use every tool but sql', async () => {
    const server = postgresServer() ?? ''
    const own = new URL(sources.warehouse['DATABASE_URL'] ?? '')
    const superuser = Object.assign(new URL(server), { pathname: own.pathname }).href
    await using asSuperuser = await connect([], { DATABASE_URL: superuser })
    expect(await asSuperuser.call('list_tasks', { limit: 1 })).toHaveProperty('items.length', 1)
    const refused = await asSuperuser.call('sql', { statement: 'SELECT 1' })
    expect(refused).toMatch(/^error: sql is refused, because the role \w+ is a superuser: .*--grant-read ROLE/)
    await onServer(server, `GRANT pg_read_all_settings TO ${own.username}`)
    await using asReader = await connect([], sources.warehouse)
    expect(await asReader.call('sql', { statement: 'SELECT 1' })).toMatch(/is in pg_read_all_settings/)
    await onServer(server, `REVOKE pg_read_all_settings FROM ${own.username}`)
    expect(await asReader.call('sql', { statement: 'SELECT 1 AS one' })).toEqual({ columns: ['one'], rows: [[1]] })
  })
})
