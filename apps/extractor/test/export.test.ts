import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import type { Started } from '@collab-etl/harness/commands'
import { TABLES } from '@collab-etl/warehouse'
import {
  DuckDBBlobValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBTimestampTZValue,
  DuckDBUUIDValue,
} from '@duckdb/node-api'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Manifest } from '../src/export/manifest.ts'
import { insertOf, rowsFor, type Value, type ValueRow } from './export-values.ts'
import { type Database, onBackendsOfSlowTests } from './world.ts'

/** Of each table, with values of every kind in every column. */
const ROWS = 40

const RUNS = `INSERT INTO collab.runs (run_id, started_at, finished_at, status, base_url, tool_version) VALUES
  ('20260301T010000000Z-aaaaaa', '2026-03-01T01:00:00Z', '2026-03-01T02:00:00Z', 'succeeded', 'http://x', '1'),
  ('20260302T010000000Z-bbbbbb', '2026-03-02T01:00:00Z', '2026-03-02T02:00:00Z', 'partial', 'http://x', '1')`

onBackendsOfSlowTests('export', (open) => {
  let database: Database
  const stored = new Map<string, ValueRow[]>()
  const out = (name: string) => `${database.path}/${name}`
  const exported = async (name: string, ...args: string[]): Promise<Manifest> => {
    const ran = await database.extract(['export', '--out', out(name), '--json', ...args])
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    return JSON.parse(await readFile(`${out(name)}/export.json`, 'utf8'))
  }

  beforeAll(async () => {
    database = await open()
    await database.script(RUNS)
    const { objects } = JSON.parse((await database.extract(['docs', '--json'])).stdout)
    for (const [at, { name }] of TABLES.entries()) {
      const table = objects.find(
        (object: { schema: string; name: string }) => object.schema === 'collab' && object.name === name,
      )
      const rows = rowsFor(name, table.columns, ROWS, at)
      stored.set(name, rows)
      await database.script(insertOf(name, table.columns, rows))
    }
  })
  afterAll(() => database[Symbol.asyncDispose]())

  test('Parquet gives DuckDB and hyparquet every value of every table as it is stored', async () => {
    const { tables } = await exported('parquet', '--format', 'parquet')
    for (const { name, columns, files } of tables) {
      const rows = stored.get(name)
      const paths = files.map(({ path }) => `${out('parquet')}/${path}`)
      const values = columns.map(({ name: column, type }) => exactly(`"${column}"`, type))
      const byDuckDb = await readByDuckDb(
        `SELECT ${values.join(', ')} FROM read_parquet([${paths.map((path) => `'${path}'`).join(', ')}])`,
      )
      const byHyparquet = (await Promise.all(paths.map(readByHyparquet))).flat()
      expect([byDuckDb.length, byHyparquet.length]).toEqual([
        tables.find((table) => table.name === name)?.rows,
        byDuckDb.length,
      ])
      if (rows === undefined) continue
      const expected = rows.map((row) => columns.map((column) => row[column.name]))
      expect(byDuckDb).toEqual(expected)
      expect(byHyparquet).toEqual(expected)
    }
    expect([...stored.keys()]).toEqual(tables.slice(0, stored.size).map(({ name }) => name))
  })

  test('CSV distinguishes NULL from the empty text and keeps every value', async () => {
    const { tables } = await exported('csv', '--format', 'csv')
    for (const { name, columns, files } of tables.slice(0, stored.size)) {
      const types = columns.map((column) => `'${column.name}': 'VARCHAR'`)
      const values = columns.map(({ name: column, type }) => exactly(`"${column}"::${TYPES[type] ?? type}`, type))
      const source = `read_csv('${out('csv')}/${files[0]?.path}', auto_detect = false, header = true, columns = {${types.join(', ')}},
        delim = ',', quote = '"', escape = '"', new_line = '\\n', nullstr = '', allow_quoted_nulls = false)`
      const rows = await readByDuckDb(`SELECT ${values.join(', ')} FROM ${source}`)
      expect(rows).toEqual(stored.get(name)?.map((row) => columns.map((column) => row[column.name])))
    }
  })

  test('JSON lines keep every digit and every character', async () => {
    const { tables } = await exported('jsonl', '--format', 'jsonl')
    for (const { name, columns } of tables.slice(0, stored.size)) {
      const lines = (await readFile(`${out('jsonl')}/${name}/part-0001.jsonl`, 'utf8')).split('\n').slice(0, -1)
      const expected = stored.get(name) ?? []
      expect(lines.length).toBe(expected.length)
      for (const [at, line] of lines.entries()) {
        const row = JSON.parse(line, keepDigits) as Record<string, unknown>
        for (const { name: column, type } of columns) {
          if (type === 'timestamptz') continue
          expect([name, column, row[column]]).toEqual([name, column, inJson(expected[at]?.[column] ?? null, type)])
        }
      }
    }
  })

  test('export.json lists every file with its rows, size and hash, and the run', async () => {
    const manifest = await exported('listed', '--format', 'csv')
    expect(manifest).toMatchObject({
      form: 'collab-extract export 1',
      file_format: 'csv',
      is_as_of: false,
      base_url: 'http://x',
      run: { run_id: '20260302T010000000Z-bbbbbb', started_at: '2026-03-02T01:00:00.000Z', status: 'partial' },
      run_under_way: null,
    })
    const found = (await readdir(out('listed'), { recursive: true })).filter((path) => path.endsWith('.csv'))
    const files = manifest.tables.flatMap((table) => table.files)
    expect(files.map(({ path }) => path).sort()).toEqual(found.sort())
    for (const { path, bytes, sha256 } of files) {
      const content = await readFile(`${out('listed')}/${path}`)
      expect([content.length, createHash('sha256').update(content).digest('hex')]).toEqual([bytes, sha256])
    }
    // the same state gives the same files
    expect((await exported('again', '--format', 'csv')).tables).toEqual(manifest.tables)
  })

  test('--as-of gives the rows that existed after that run', async () => {
    await database.script(`INSERT INTO collab.users (uid, name, valid_from, deleted_at) VALUES ('u1', 'new', '2026-03-02T01:00:00Z', NULL), ('u2', 'gone', '2026-03-01T01:00:00Z', '2026-03-02T01:00:00Z');
      INSERT INTO collab_history.users (uid, name, valid_from, valid_to) VALUES ('u1', 'old', '2026-03-01T01:00:00Z', '2026-03-02T01:00:00Z'), ('u2', 'gone', '2026-03-01T01:00:00Z', '2026-03-02T01:00:00Z')`)
    const names = async (name: string, ...args: string[]) => {
      await exported(name, '--format', 'jsonl', '--table', 'users', ...args)
      const text = await readFile(`${out(name)}/users/part-0001.jsonl`, 'utf8')
      return text
        .split('\n')
        .filter((line) => line.includes('"u1"') || line.includes('"u2"'))
        .map((line) => JSON.parse(line).name)
    }
    expect(await names('then', '--as-of', '2026-03-01T12:00:00Z')).toEqual(['old', 'gone'])
    expect(await names('later', '--as-of', '2026-03-02T12:00:00Z')).toEqual(['new'])
    expect(await names('now')).toEqual(['new', 'gone'])
  })

  test('refuses tables that do not exist or keep no history, and times before the first run', async () => {
    const refused = async (...args: string[]) => {
      const { code, stderr } = await database.extract(['export', '--format', 'csv', '--out', out('refused'), ...args])
      expect(code).toBe(2)
      return stderr
    }
    expect(await refused('--table', 'nothing')).toMatch(/^.*there is no table nothing: use one of projects, .*\n$/)
    expect(await refused('--table', 'runs', '--as-of', '2026-03-02')).toMatch(/table runs keeps no history/)
    expect(await refused('--as-of', '2026-02-01')).toMatch(/no run had finished by then/)
    expect(await refused('--as-of', '2999-02-01')).toMatch(/is in the future/)
    expect(await readdir(database.path)).not.toContain('refused')
  })

  test('replaces an earlier export, and nothing else', async () => {
    await exported('place', '--format', 'csv', '--table', 'users')
    await exported('place', '--format', 'jsonl', '--table', 'projects')
    expect((await readdir(out('place'))).sort()).toEqual(['export.json', 'projects'])
    await writeFile(`${out('place')}/projects/mine.txt`, 'mine')
    const ran = await database.extract(['export', '--format', 'csv', '--out', out('place')])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^.*projects\/mine\.txt, which no earlier export wrote; choose another directory\n$/)
    expect(await readFile(`${out('place')}/projects/mine.txt`, 'utf8')).toBe('mine')
    expect((await readdir(database.path)).filter((name) => name.includes('place'))).toEqual(['place'])
  })

  test('files beside the directory stay as they were', async () => {
    for (const ending of ['partial', 'previous']) {
      await mkdir(out(`own.${ending}`))
      await writeFile(`${out(`own.${ending}`)}/mine.txt`, 'mine')
    }
    await writeFile(out('own.lock'), 'mine')
    await exported('own', '--format', 'csv', '--table', 'users')
    await exported('own', '--format', 'csv', '--table', 'users')
    const own = (await readdir(database.path)).filter((name) => name.includes('own'))
    expect(own.sort()).toEqual(['own', 'own.lock', 'own.partial', 'own.previous'])
    expect(await readdir(out('own.partial'))).toEqual(['mine.txt'])
    expect(await readFile(out('own.lock'), 'utf8')).toBe('mine')
  })

  test('tables and columns of any name are written within the directory', async () => {
    await database.script(`CREATE TABLE collab."../../odd" ("a,""b" integer PRIMARY KEY);
      INSERT INTO collab."../../odd" VALUES (1); CREATE TABLE collab."export.json" (a integer PRIMARY KEY)`)
    const tables = ['--table', '../../odd', '--table', 'export.json']
    for (const format of ['csv', 'parquet', 'jsonl']) {
      const manifest = await exported('odd', '--format', format, ...tables)
      expect(await readdir(out('odd'))).toEqual(['%2E%2E%2F%2E%2E%2Fodd', 'export%2Ejson', 'export.json'])
      expect(manifest.tables.map(({ rows }) => rows)).toEqual([1, 0])
    }
    await exported('odd', '--format', 'csv', ...tables)
    expect(await readFile(`${out('odd')}/%2E%2E%2F%2E%2E%2Fodd/part-0001.csv`, 'utf8')).toBe('"a,""b"\n"1"\n')
    await database.script(`DROP TABLE collab."../../odd", collab."export.json"`)
  })

  test('a killed export leaves the earlier one as it was, and the next one succeeds', async () => {
    const before = await exported('killed', '--format', 'csv', '--table', 'users')
    let child: Started | undefined
    const ended = database.extract(['export', '--format', 'parquet', '--out', out('killed')], {
      onStart: (started) => (child = started),
    })
    while (!(await readdir(database.path)).includes('.killed.collab-export.partial'))
      await new Promise((resolve) => setTimeout(resolve, 5))
    child?.kill('SIGKILL')
    await ended
    expect(JSON.parse(await readFile(`${out('killed')}/export.json`, 'utf8'))).toEqual(before)
    await exported('killed', '--format', 'csv', '--table', 'projects')
    expect((await readdir(database.path)).filter((name) => name.includes('killed'))).toEqual(['killed'])
  })

  test('DuckDB runs the query of the documentation on the files', async () => {
    const page = await readFile(new URL('../../../docs/data-out.md', import.meta.url), 'utf8')
    const [, query = ''] = /```sql\n(.*?)```/s.exec(page) ?? []
    await database.script(`INSERT INTO collab.users (uid, name, valid_from) VALUES ('u8', 'Ann', '2026-03-01');
      INSERT INTO collab.tasks (pid, tid, completed, valid_from, deleted_at) VALUES ('p8', 't1', false, '2026-03-01', NULL), ('p8', 't2', false, '2026-03-01', '2026-03-02'), ('p8', 't3', true, '2026-03-01', NULL);
      INSERT INTO collab.task_members (pid, tid, uid, valid_from) VALUES ('p8', 't1', 'u8', '2026-03-01'), ('p8', 't2', 'u8', '2026-03-01'), ('p8', 't3', 'u8', '2026-03-01')`)
    await exported('lake', '--format', 'parquet')
    expect(await readByDuckDb(query.replaceAll("'lake/", `'${out('lake')}/`))).toEqual([['Ann', 1n]])
  })

  test('without DuckDB, one line says how to install it', async () => {
    const hook = `import{registerHooks}from'node:module';registerHooks({resolve(s,c,n){if(s==='@duckdb/node-api')throw new Error("Cannot find package '@duckdb/node-api'");return n(s,c)}})`
    const ran = await database.extract(['export', '--format', 'parquet', '--out', out('none')], {
      env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(hook)}` },
    })
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(ran.stderr).toMatch(/^.*run npm install @duckdb\/node-api@1\.5\.6-r\.1; or use --format csv\n$/)
  })
})

const TYPES: Readonly<Record<string, string>> = {
  jsonb: 'JSON',
  'text[]': 'JSON::VARCHAR[]',
  'double precision': 'DOUBLE',
  text: 'VARCHAR',
}

/** Texts as bytes: the library leaves out a byte order mark. */
function exactly(value: string, type: string): string {
  if (type === 'text[]') return `list_transform(${value}, lambda item: encode(item))`
  return type === 'text' || type === 'jsonb' ? `encode(${value}::VARCHAR)` : value
}

function fromDuckDb(value: unknown): Value {
  if (value instanceof DuckDBTimestampTZValue) return value.micros
  if (value instanceof DuckDBUUIDValue) return value.toString()
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString()
  if (value instanceof DuckDBListValue) return value.items.map((item) => fromDuckDb(item) as string | null)
  return value as Value
}

async function readByDuckDb(sql: string): Promise<Value[][]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  try {
    await connection.run("SET TimeZone = 'UTC'")
    const result = await connection.runAndReadAll(sql)
    return result.getRows().map((row) => row.map(fromDuckDb))
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

async function readByHyparquet(path: string): Promise<Value[][]> {
  const exact = (bytes: Uint8Array | undefined) => (bytes === undefined ? null : Buffer.from(bytes).toString())
  const rows = await parquetReadObjects({
    file: await asyncBufferFromFile(path),
    // those of the library leave out a byte order mark, microseconds, and digits of numbers in JSON
    parsers: {
      stringFromBytes: exact,
      jsonFromBytes: exact,
      timestampFromMicroseconds: (micros: bigint | undefined) => micros ?? null,
    },
  })
  return rows.map((row) => Object.values(row).map((value) => value ?? null))
}

/** Numbers of JSON as they are written. */
function keepDigits(_: string, value: unknown, ...[context]: unknown[]): unknown {
  const { source } = context as { readonly source?: string } // as the language has it since 2025
  return typeof value === 'number' ? { digits: source } : value
}

/** A value as a line of JSON has it, numbers as their digits. */
function inJson(value: Value, type: string): unknown {
  if (type === 'jsonb' && value !== null) return JSON.parse(String(value), keepDigits)
  if (typeof value === 'bigint') return { digits: String(value) }
  if (typeof value !== 'number') return value
  if (!Number.isFinite(value)) return String(value)
  return { digits: expect.toSatisfy((digits: string) => Number(digits) === value) }
}
