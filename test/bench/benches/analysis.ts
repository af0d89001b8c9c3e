import { run } from '@collab-etl/harness/commands'
import type { Bench } from '../bench.ts'
import { environment, initialise } from '../measured/snapshot.ts'
import { dropSchemas, SCHEMAS, settle } from '../postgres/database.ts'
import { psql } from '../postgres/psql.ts'

const NIGHTS = 12

/** What analysts take from a warehouse with a history: a table as files, and the changes of a night. */
export const analysis: Bench = {
  figures: [
    {
      name: 'export',
      what: 'export of 2,000,000 tasks as Parquet',
      unit: 'rows/s',
      limit: { atLeast: 200_000 },
    },
    { name: 'changes', what: 'changes of one of 12 nights of 1 % of 2,000,000 tasks', unit: 's', limit: { atMost: 2 } },
  ],
  onPostgres: true,
  async *measure({ server, scratch, runs, sizes, wanted, say }) {
    const warehouse = { databaseUrl: server.url, dataDir: scratch, schema: SCHEMAS.tool }
    await dropSchemas(server.url)
    await initialise(warehouse)
    say(`${sizes.storedTasks} tasks`)
    await psql(server.url, tasksSql(sizes.storedTasks))
    const timed = async (args: readonly string[]) => {
      await settle(server.url)
      const begun = performance.now()
      const env = environment(warehouse)
      const ran = await run('collab-extract', args, { env, ownProcess: true, measureMemory: true })
      if (ran.code !== 0) throw new Error(`collab-extract ${args[0]} ended with ${ran.code}: ${ran.stderr}`)
      return { ...ran, durationMs: performance.now() - begun, peakMB: ran.peakMemory / 1e6 }
    }
    for (let number = 1; number <= runs; number++) {
      say(`run ${number} of ${runs}`)
      if (wanted.has('export')) {
        const out = `${scratch}/export`
        const args = ['export', '--format', 'parquet', '--out', out, '--table', 'tasks', '--json']
        const { stdout, durationMs, peakMB } = await timed(args)
        const [{ rows }] = JSON.parse(stdout).tables as [{ rows: number }]
        if (rows !== sizes.storedTasks) throw new Error(`${rows} rows of ${sizes.storedTasks} were exported`)
        yield { figure: 'export', value: (rows / durationMs) * 1000, parts: { durationMs, rows, peakMB } }
      }
      if (wanted.has('changes')) {
        const { stdout, durationMs, peakMB } = await timed(['changes', '--json'])
        const changes = stdout.split('\n').length - 1
        const expected = Math.floor((sizes.storedTasks - NIGHTS) / 100) + 1
        if (changes !== expected) throw new Error(`${changes} changes of ${expected} were listed`)
        yield { figure: 'changes', value: durationMs / 1000, parts: { durationMs, changes, peakMB } }
      }
    }
    await dropSchemas(server.url)
  },
}

/** One in a hundred tasks was renamed in each night. */
function tasksSql(tasks: number): string {
  const [main, history] = [SCHEMAS.tool, `${SCHEMAS.tool}_history`]
  const begun = "timestamptz '2026-01-01 02:00:00+00'"
  const ids = `'P' || lpad((g / 10000)::text, 4, '0') AS pid, 'T' || lpad(g::text, 8, '0') AS tid`
  const columns =
    'pid, tid, entry_id, name, description, position, completed, due_at, created_at, updated_at, archived, comment_count'
  const values = `${ids}, 'E' || g % 20, 'Task ' || g || ' with a usual name', repeat('some words of a description, "quoted" ', 3) || E'\\n' || g,
    g * 65536.5, g % 3 = 0, CASE WHEN g % 2 = 0 THEN ${begun} + g * interval '3 s' END, ${begun} - g * interval '11.123 s',
    ${begun} - g * interval '5.5 s', g % 5 = 0, g % 7`
  return `
    INSERT INTO ${main}.runs (run_id, started_at, finished_at, status, base_url, tool_version)
      SELECT to_char(${begun} + n * interval '1 day', 'YYYYMMDD"T"HH24MISS') || '000Z-aaaaaa', ${begun} + n * interval '1 day',
        ${begun} + n * interval '1 day 1 hour', 'succeeded', 'http://127.0.0.1', '0' FROM generate_series(0, ${NIGHTS}) n;
    INSERT INTO ${main}.tasks (${columns}, valid_from)
      SELECT ${values}, ${begun} + CASE WHEN g % 100 BETWEEN 1 AND ${NIGHTS} THEN g % 100 ELSE 0 END * interval '1 day'
      FROM generate_series(1, ${tasks}) g;
    INSERT INTO ${history}.tasks (${columns}, valid_from, valid_to)
      SELECT ${values.replace('with a usual name', 'with an earlier name')}, ${begun}, ${begun} + g % 100 * interval '1 day'
      FROM generate_series(1, ${tasks}) g WHERE g % 100 BETWEEN 1 AND ${NIGHTS};`
}
