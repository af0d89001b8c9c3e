import { connect, type Socket } from 'node:net'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openWarehouse } from '../src/open.ts'
import { type Served, serveEmbedded } from '../src/serve/serve.ts'
import { contentOf } from './support/content-of.ts'

let scratch: Awaited<ReturnType<typeof scratchDirectory>>
let served: Served
let before: string

const WAIT_MS = 300

beforeAll(async () => {
  scratch = await scratchDirectory()
  await makeEmptyWarehouse(`${scratch.path}/data`)
  before = await contentOf(`${scratch.path}/data/warehouse`)
  served = await serveEmbedded({
    dataDir: `${scratch.path}/data`,
    schema: 'collab',
    port: 0,
    ...{ password: 'right-password', sessions: 2, waitMs: WAIT_MS },
  })
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

async function connected(password = 'right-password'): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port: served.port, user: 'anybody', database: 'any', password })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** Statements that make a session a superuser again, write, or reach files and programs. */
const HOSTILE = [
  ...[
    'RESET SESSION AUTHORIZATION',
    'SET SESSION AUTHORIZATION postgres',
    'SET SESSION AUTHORIZATION DEFAULT',
    'SET ROLE postgres',
  ],
  ...[
    'RESET ROLE',
    'RESET ALL',
    'DISCARD ALL',
    '/* SELECT */ SET ROLE postgres',
    '-- SELECT\nSET/**/ROLE postgres',
    'SET "role" = postgres',
  ],
  ...[
    'SELECT 1; SET SESSION AUTHORIZATION postgres',
    ';SET ROLE postgres',
    "SELECT set_config('role', 'postgres', false)",
  ],
  'SET default_transaction_read_only = off',
  'SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE',
  "EXPLAIN ANALYZE UPDATE pg_settings SET setting = 'postgres' WHERE name = 'session_authorization'",
  "WITH x AS (UPDATE pg_settings SET setting = 'off' WHERE name = 'default_transaction_read_only' RETURNING 1) SELECT * FROM x",
  "DO $$ BEGIN PERFORM set_config('role', 'postgres', false); END $$",
  "SELECT query_to_xml('SET SESSION AUTHORIZATION postgres', true, true, '')",
  "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
  ...[
    "COPY (SELECT 1) TO PROGRAM 'touch /tmp/x'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "SELECT lo_import('/etc/passwd')",
    'SELECT lo_create(0)',
  ],
  ...[
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    'SELECT rolpassword FROM pg_authid',
    "LOAD 'x'",
    'CHECKPOINT',
  ],
  ...[
    'SELECT * INTO collab.x FROM collab.runs',
    'SELECT * INTO TEMP x FROM collab.runs',
    'EXPLAIN ANALYZE CREATE TABLE x AS SELECT 1',
  ],
  'WITH x AS (DELETE FROM collab.users RETURNING 1) SELECT * FROM x',
  ...[
    'COPY collab.users FROM STDIN',
    'INSERT INTO collab.users VALUES (1)',
    'TRUNCATE collab.tasks',
    'ALTER ROLE collab_reader SUPERUSER',
  ],
]

/** The types of `pg` do not know the mode. */
const EXTENDED: Omit<pg.QueryConfig, 'text'> = Object.assign({ values: [] }, { queryMode: 'extended' })

test('no statement writes, reaches files or makes a superuser', async () => {
  const client = await connected()
  const allowed: string[] = []
  for (const sql of HOSTILE) {
    const note = () => void allowed.push(sql)
    await client.query(sql).then(note, () => {})
    await client.query('BEGIN READ WRITE')
    // as a prepared statement
    await client.query({ ...EXTENDED, text: sql }).then(note, () => {})
    await client.query('ROLLBACK')
  }
  expect(allowed).toEqual([])
  await client.query("PREPARE p AS UPDATE pg_settings SET setting = 'postgres' WHERE name = 'session_authorization'")
  await expect(client.query('EXECUTE p')).rejects.toThrow(/denied|read-only/)
  const { rows } = await client.query(
    `SELECT current_user, session_user, current_setting('is_superuser') AS super, current_setting('transaction_read_only') AS read_only`,
  )
  expect(rows).toEqual([
    { current_user: 'collab_reader', session_user: 'collab_reader', super: 'off', read_only: 'on' },
  ])
  expect(await contentOf(`${scratch.path}/data/warehouse`)).toBe(before)
})

test('clients read tables, views and history, by simple and prepared statements and cursors', async () => {
  const client = await retried(connected)
  expect((await client.query('SELECT count(*)::int AS n FROM live_tasks, collab_history.tasks')).rows).toEqual([
    { n: 0 },
  ])
  expect((await client.query('SELECT $1::int + 1 AS n', [41])).rows).toEqual([{ n: 42 }])
  await client.query('BEGIN')
  await client.query('DECLARE c CURSOR FOR SELECT n FROM generate_series(1, 5) n')
  expect((await client.query('FETCH 2 FROM c')).rows).toEqual([{ n: 1 }, { n: 2 }])
  await client.query('COMMIT')
  const long = await client.query("SELECT repeat('x', 1000) AS x FROM generate_series(1, 20000)")
  expect(long.rows.length).toBe(20_000)
  await expect(client.query('SELECT nothing')).rejects.toThrow('column "nothing" does not exist')
  expect((await client.query("SELECT '\ufeffé' AS text")).rows).toEqual([{ text: '\ufeffé' }])
})

test('other encodings than UTF8 are errors: rows were left out, or the database stopped', async () => {
  const client = await connected()
  await client.query("SET client_encoding TO 'UTF8'")
  const other = [
    "SET client_encoding = 'LATIN1'",
    "SET LOCAL client_encoding TO 'SJIS'",
    "SELECT convert_to('é', 'LATIN1')",
  ]
  for (const sql of other) await expect(client.query(sql), sql).rejects.toThrow(/LATIN1|SJIS/)
  const { rows } = await client.query("SELECT 'é' AS a, convert_to('é', 'UTF8') AS b")
  expect(rows).toEqual([{ a: 'é', b: Buffer.from('é') }])
})

test('drivers may set how transactions are isolated, and that they only read', async () => {
  const client = await connected()
  const levels = ['SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ', 'TRANSACTION READ ONLY']
  for (const level of [
    ...levels,
    "default_transaction_isolation TO 'serializable'",
    "default_transaction_read_only TO 'on'",
  ])
    await client.query(`SET ${level}`)
  expect((await client.query('SHOW transaction_isolation')).rows).toEqual([{ transaction_isolation: 'serializable' }])
  for (const refused of ["default_transaction_read_only TO 'off'", 'default_transaction_read_only TO DEFAULT'])
    await expect(client.query(`SET ${refused}`)).rejects.toThrow('read-only')
})

test('each client has a session of its own; a later one finds nothing of the session before', async () => {
  const clients = [await connected(), await connected()]
  const [first, second] = clients as [pg.Client, pg.Client]
  await first.query("SET timezone = 'Asia/Shanghai'")
  await first.query('PREPARE p AS SELECT 1')
  await first.query('BEGIN')
  await first.query('DECLARE c CURSOR FOR SELECT 1')
  await first.query('SELECT pg_advisory_lock(1)')
  const nothing = { zone: 'UTC', locks: 0, cursors: 0, prepared: 0 }
  expect((await second.query(STATE)).rows).toEqual([nothing])
  expect((await first.query(STATE)).rows).toEqual([{ zone: 'Asia/Shanghai', locks: 1, cursors: 1, prepared: 1 }])
  await first.query('SELECT nothing').catch(() => {})
  for (const client of clients) await client.end()
  const next = await Promise.all([connected(), connected()])
  for (const client of next) expect((await client.query(STATE)).rows).toEqual([nothing])
})

const STATE = `SELECT current_setting('TimeZone') AS zone,
  (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
  (SELECT count(*)::int FROM pg_cursors WHERE name = 'c') AS cursors, (SELECT count(*)::int FROM pg_prepared_statements) AS prepared`

test('a client that finds all sessions in use waits for one, and is refused after a time', async () => {
  const clients = await Promise.all([1, 2].map(() => connected()))
  const begun = performance.now()
  await expect(connected()).rejects.toMatchObject({
    ...{ code: '53300', severity: 'FATAL' },
    message: 'sorry, too many clients already: 2 are served at once (serve --sessions)',
  })
  expect(performance.now() - begun).toBeGreaterThanOrEqual(WAIT_MS)
  const waiting = connected()
  await clients[0]?.end()
  expect((await (await waiting).query('SELECT 1 AS n')).rows).toEqual([{ n: 1 }])
})

const ENDLESS = 'SELECT count(*) FROM generate_series(1, 1e12)'

test.each([
  [
    'its client goes',
    (client: pg.Client) => (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy(),
  ],
  [
    'its client goes with further messages on their way',
    (client: pg.Client) =>
      (client as unknown as { connection: { stream: Socket } }).connection.stream.end(serialize.end()),
  ],
  [
    'its client sends megabytes behind it and goes',
    (client: pg.Client) => {
      const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
      for (let sent = 0; sent < 5; sent++) stream.write(serialize.query(`SELECT '${'x'.repeat(1_000_000)}'`))
      setTimeout(() => stream.destroy(), 400)
    },
  ],
  [
    'its client cancels it',
    (client: pg.Client) => {
      const { processID, secretKey } = client as unknown as { processID: number; secretKey: number }
      const request = Buffer.alloc(16)
      for (const [at, value] of [16, 80877102].entries()) request.writeInt32BE(value, 4 * at)
      request.writeInt32BE(processID, 8)
      request.writeInt32BE(secretKey, 12)
      // another key does nothing
      const other = Buffer.from(request)
      other.writeInt32BE(secretKey ^ 1, 12)
      connect(served.port, '127.0.0.1')
        .on('error', () => {})
        .end(other)
      connect(served.port, '127.0.0.1')
        .on('error', () => {})
        .end(request)
    },
  ],
])('a statement ends when %s, and the next client is answered', async (_, end) => {
  const first = await connected()
  const endless = expect(first.query(ENDLESS)).rejects.toThrow()
  await new Promise((resolve) => setTimeout(resolve, 300))
  end(first)
  await endless
  const second = await retried(connected)
  expect((await second.query('SELECT count(*)::int AS n FROM live_tasks')).rows).toEqual([{ n: 0 }])
  const { rows } = await second.query("SELECT current_user, current_setting('transaction_read_only') AS read_only")
  expect(rows).toEqual([{ current_user: 'collab_reader', read_only: 'on' }])
})

test('wrong passwords and bytes that are no protocol get no further', async () => {
  await expect(connected('wrong-password')).rejects.toMatchObject({ code: '28P01' })
  await expect(connected('')).rejects.toThrow()
  for (const bytes of [
    'GET / HTTP/1.1\r\n\r\n',
    '\0\0\0\x08\x04\xd2\x16\x2e',
    '\xff\xff\xff\xff',
    '\0\0\0\x09\0\x03\0\0\0Q\0\0\0\x04',
  ]) {
    const socket = connect(served.port, '127.0.0.1')
    const received: Buffer[] = []
    socket.on('data', (data) => received.push(data)).on('error', () => {})
    socket.end(Buffer.from(bytes, 'latin1'))
    await new Promise((resolve) => socket.on('close', resolve))
    // at most what asks for the password
    expect(
      Buffer.concat(received)
        .toString('latin1')
        .replace(/^R\0\0\0.\0\0\0\nSCRAM-SHA-256\0\0/s, ''),
    ).toMatch(/^$|^E.*C28P01/s)
  }
  await expect(retried(connected)).resolves.toBeDefined()
})

test('the warehouse is locked until the server ends', async () => {
  await expect(openWarehouse({ dataDir: `${scratch.path}/data`, schema: 'collab' })).rejects.toMatchObject({
    code: 'LOCKED',
  })
})

/** A session ends a moment after its client has gone. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries === 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
