import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { cleanEnvironment } from '@collab-etl/harness/commands'
import { postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Database, onBackendsOfSlowTests, onPostgres, openWorld } from './world.ts'

const DAYS = [1, 2, 3].map((day) => `2026-03-0${day}T01:00:00Z`)

/** Three runs: a task is added, renamed, and named as before; another is added and deleted. */
const HISTORY = `SET search_path = collab;
  INSERT INTO runs (run_id, started_at, finished_at, status, base_url, tool_version) VALUES
    ('20260301T010000000Z-aaaaaa', '${DAYS[0]}', '${DAYS[0]}', 'succeeded', 'http://x', '1'),
    ('20260302T010000000Z-bbbbbb', '${DAYS[1]}', '${DAYS[1]}', 'failed', 'http://x', '1'),
    ('20260303T010000000Z-cccccc', '${DAYS[2]}', '${DAYS[2]}', 'partial', 'http://x', '1');
  INSERT INTO collab_history.tasks (pid, tid, name, valid_from, valid_to) VALUES
    ('p1', 't1', 'One', '${DAYS[0]}', '${DAYS[1]}'), ('p1', 't1', E'\\u202eOther', '${DAYS[1]}', '${DAYS[2]}'),
    ('p1', 't2', 'Two', '${DAYS[1]}', '${DAYS[2]}');
  INSERT INTO tasks (pid, tid, name, valid_from, deleted_at) VALUES ('p1', 't1', 'One', '${DAYS[2]}', NULL), ('p1', 't2', 'Two', '${DAYS[1]}', '${DAYS[2]}');
  INSERT INTO pages (pid, page_id, name, valid_from) VALUES ('p2', 'g1', 'Page', '${DAYS[2]}')`

onBackendsOfSlowTests('changes', (open) => {
  let database: Database
  beforeAll(async () => {
    database = await open()
    await database.script(HISTORY)
  })
  afterAll(() => database[Symbol.asyncDispose]())

  /** The lines of a command that prints JSON lines, shortened. */
  const lines = async (...args: string[]) => {
    const { code, stdout } = await database.extract(['changes', '--json', ...args])
    const all = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line): Record<string, unknown> => JSON.parse(line))
    return [
      code,
      ...all.map(({ run_id: run, table_name: table, change, old_values: before, new_values: after }) => {
        return [
          String(run).slice(-6),
          change,
          table,
          (before as { name?: string } | null)?.name,
          (after as { name?: string } | null)?.name,
        ]
      }),
    ]
  }

  test('by default those since the finished run before the last one, failed runs between them too', async () => {
    const ran = await lines()
    expect(ran).toEqual([
      0,
      ['bbbbbb', 'changed', 'tasks', 'One', '\u202eOther'],
      ['bbbbbb', 'added', 'tasks', undefined, 'Two'],
      ['cccccc', 'changed', 'tasks', '\u202eOther', 'One'],
      ['cccccc', 'deleted', 'tasks', 'Two', undefined],
      ['cccccc', 'added', 'pages', undefined, 'Page'],
    ])
    const { stdout } = await database.extract(['changes'])
    expect(stdout).toMatch(/2026-03-02T01:00:00 +changed +tasks +p1 +t1 +name: One → /)
    expect(stdout).not.toContain('\u202e')
    expect((await database.extract(['changes', '--limit', '2'])).stdout).toContain('3 more changes not shown')
  })

  test('--since and --until take a run, its beginning, a time or a day; --net compares both ends', async () => {
    expect(await lines('--since', '20260302')).toHaveLength(4)
    expect(await lines('--since', '20260301T010000000Z-aaaaaa', '--until', '2026-03-02')).toHaveLength(3)
    expect(await lines('--since', '2026-03-03', '--until', '2026-03-02T00:00Z')).toEqual([2, expect.anything()])
    expect(await lines('--since', 'latest')).toEqual([0])
    expect(await lines('--since', '2026-03-02T00:00:00Z', '--net')).toEqual([
      0,
      ['null', 'added', 'pages', undefined, 'Page'],
    ])
    expect(await lines('--project', 'p2')).toHaveLength(2)
    expect(await lines('--table', 'pages', '--table', 'users')).toHaveLength(2)
  })

  test.each([
    [['--since', 'nothing'], /no run has the id nothing/],
    [['--since', '2999-01-01'], /--since \S+ is in the future; leave it out for the latest changes/],
    [['--since', '2026-02-30'], /--since must be a date such as/],
    [['--table', 'task'], /there is no table task: use one of projects/],
    [['--limit', '0'], /--limit must be a whole number/],
    [['--follow', '--net'], /follow|net/],
  ])('%j is refused in one line, exit 2', async (args, message) => {
    const ran = await database.extract(['changes', ...args])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(message)
  })
})

if (postgresServer() !== null) {
  testThoroughly('changes --follow prints the changes of each run that ends, then a line about it', async () => {
    const sizes = { projects: 1, tasks: 2, archived: 0, posts: 0, events: 0 }
    await using made = await openWorld(sizes, onPostgres)
    await made.extract(['snapshot'])
    const runs = async () => {
      const rows = await made.query('SELECT run_id FROM collab.runs ORDER BY started_at')
      return rows.map(({ run_id }) => String(run_id))
    }
    // By its id: the second run may end before the program has looked for the latest one.
    const [first = ''] = await runs()
    const follower = spawn('collab-extract', ['changes', '--follow', '--table', 'pages', '--since', first], {
      env: { ...cleanEnvironment(), ...made.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void follower.kill('SIGKILL'))
    const ended = once(follower, 'exit')
    const [pid = ''] = made.sandbox.pids
    made.sandbox.store.change(pid, ({ pages }) => {
      if (pages[0] !== undefined) pages[0].name = 'Renamed'
    })
    await made.extract(['snapshot'])
    const lines: Record<string, unknown>[] = []
    for await (const line of createInterface(follower.stdout)) {
      lines.push(JSON.parse(line))
      // The second run may have ended before the program listened; the third one wakes it.
      if (lines.length === 2) await made.extract(['snapshot'])
      if (lines.length === 3) follower.kill('SIGTERM')
    }
    expect(await ended).toEqual([143, null])
    const [, second, third] = await runs()
    expect(lines).toMatchObject([
      { run_id: second, table_name: 'pages', change: 'changed', new_values: { name: 'Renamed' } },
      { run_id: second, status: 'succeeded', changes: 1 },
      { run_id: third, status: 'succeeded', changes: 0 },
    ])
  })
}
