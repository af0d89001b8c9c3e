import { type EventEmitter, once } from 'node:events'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import { rounds } from '@collab-etl/harness/thorough'
import { THOROUGH_TAG } from '@collab-etl/harness/thorough-tag'
import fc from 'fast-check'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { type Served, serveEmbedded } from '../src/serve/serve.ts'

let scratch: Awaited<ReturnType<typeof scratchDirectory>>
let served: Served

beforeAll(async () => {
  scratch = await scratchDirectory()
  await makeEmptyWarehouse(`${scratch.path}/data`)
  served = await serveEmbedded({
    dataDir: `${scratch.path}/data`,
    schema: 'collab',
    port: 0,
    password: 'right-password',
  })
})
afterAll(async () => {
  await served[Symbol.asyncDispose]()
  await scratch[Symbol.asyncDispose]()
})

async function connected(more: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port: served.port,
    user: 'any',
    database: 'any',
    password: 'right-password',
    ...more,
  })
  client.on('error', () => {})
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

/** The first value of each result, and the error that ended them. */
async function resultsOf(client: pg.Client, sql: string): Promise<unknown[]> {
  const found: unknown[] = []
  const query = new pg.Query(Object.assign({ text: sql }, { rowMode: 'array' }))
  query.on('row', (row: unknown) => found.push(Array.isArray(row) ? row[0] : row))
  const ended = new Promise<void>((resolve) => {
    query.on('end', () => resolve())
    query.on('error', (error) => {
      found.push(error.message)
      resolve()
    })
  })
  client.query(query)
  await ended
  return found
}

const ZONE = "SELECT current_setting('TimeZone')"

test('several statements are answered one by one, in one transaction, up to the first error', async () => {
  const client = await connected()
  const unknown = 'column "nothing" does not exist'
  expect(await resultsOf(client, "SELECT 1; ;SELECT 'a;''b' -- ;\n;SELECT $x$;$x$;")).toEqual([1, "a;'b", ';'])
  expect(await resultsOf(client, 'SELECT 1; SELECT nothing; SELECT 2')).toEqual([1, unknown])
  // what they set is undone by an error, as any other change of a transaction
  expect(await resultsOf(client, `SET timezone = 'Asia/Tokyo'; ${ZONE}; SELECT nothing`)).toEqual([
    'Asia/Tokyo',
    unknown,
  ])
  expect(await resultsOf(client, `${ZONE}; SET timezone = 'Asia/Tokyo'; COMMIT; SELECT nothing`)).toEqual([
    'UTC',
    unknown,
  ])
  expect(await resultsOf(client, `${ZONE}; SELECT now() = statement_timestamp()`)).toEqual(['Asia/Tokyo', true])
  expect(await resultsOf(client, 'DECLARE c CURSOR FOR SELECT 7; FETCH c; CLOSE c')).toEqual([7])
  expect(await resultsOf(client, 'SET search_path = collab_history; SELECT count(*)::int FROM tasks')).toEqual([0])
  expect(await resultsOf(client, 'PREPARE p AS SELECT 5; EXECUTE p')).toEqual([5])
})

test('within a transaction, several statements leave it open, failed or ended', async () => {
  const client = await connected()
  expect(await resultsOf(client, 'BEGIN; SELECT 1')).toEqual([1])
  expect(await resultsOf(client, "SET LOCAL timezone = 'Asia/Tokyo'; SAVEPOINT s")).toEqual([])
  expect(await resultsOf(client, `${ZONE}; SELECT nothing`)).toEqual(['Asia/Tokyo', 'column "nothing" does not exist'])
  expect(await resultsOf(client, 'SELECT 1; SELECT 2')).toEqual([expect.stringContaining('transaction is aborted')])
  expect(await resultsOf(client, `ROLLBACK TO s; ${ZONE}`)).toEqual(['Asia/Tokyo'])
  expect(await resultsOf(client, 'SELECT 1; SELECT 2 FROM')).toEqual(['syntax error at end of input'])
  expect(await resultsOf(client, 'SELECT 1')).toEqual([expect.stringContaining('transaction is aborted')])
  expect(await resultsOf(client, `ROLLBACK; ${ZONE}`)).toEqual(['UTC'])
})

test('a syntax error is at its place in the whole text, and no statement of it runs', async () => {
  const client = await connected()
  const sql = "SET timezone = 'Asia/Tokyo'; SELECT '字\u{1f600}'; SELECT ) 1"
  await expect(client.query(sql)).rejects.toMatchObject({ code: '42601', position: String([...sql].length - 2) })
  expect(await resultsOf(client, ZONE)).toEqual(['UTC'])
})

const SETTINGS = `SELECT concat_ws('|', current_setting('search_path'), current_setting('TimeZone'), current_setting('application_name'))`

test('settings of a connection hold for its session alone, and none of them makes a superuser', async () => {
  const options = '-c search_path=collab_history,\\ pg_catalog --TimeZone=Asia/Tokyo -crole=postgres -c is_superuser=on'
  const writing = '-c default_transaction_read_only=off -c session_authorization=postgres'
  const client = await connected({ options: `${options} ${writing}`, application_name: "it's" })
  expect(await resultsOf(client, SETTINGS)).toEqual(["collab_history, pg_catalog|Asia/Tokyo|it's"])
  expect(await resultsOf(client, `${USER} || current_setting('transaction_read_only')`)).toEqual(['collab_readeroffon'])
  await client.end()
  await expect(connected({ options: '-c timezone=Mars' })).rejects.toMatchObject({
    ...{ code: '22023', severity: 'FATAL', message: 'invalid value for parameter "TimeZone": "Mars"' },
  })
  expect(await resultsOf(await connected(), SETTINGS)).toEqual(['collab|UTC|'])
})

const BECOME_SUPERUSER = 'SET SESSION AUTHORIZATION postgres'
const USER = "SELECT session_user::text || current_setting('is_superuser')"

test('a notice before the error of further statements does not hide them', async () => {
  const client = await connected()
  for (const [setting, rest] of [
    ['SET client_min_messages = debug5', ''],
    ['SELECT 1', '; COMMIT; SELECT 1 INTO GLOBAL TEMP x'],
  ] as const) {
    await client.query(setting)
    await expect(client.query(`SELECT 1; ${BECOME_SUPERUSER}${rest}`)).rejects.toThrow(
      'this server is read-only: SET may change',
    )
  }
  expect(await resultsOf(client, USER)).toEqual(['collab_readeroff'])
})

test('a text after a failed prepared statement is not run, as Postgres waits for a sync', async () => {
  const client = await connected()
  const { connection } = client as unknown as { connection: EventEmitter & { stream: NodeJS.WritableStream } }
  const received: string[] = []
  const noted = ['errorMessage', 'commandComplete', 'readyForQuery', 'rowDescription', 'parseComplete', 'dataRow']
  for (const name of noted) connection.removeAllListeners(name)
  for (const name of ['errorMessage', 'commandComplete', 'readyForQuery'])
    connection.on(name, () => received.push(name))
  connection.on('dataRow', ({ fields }: { fields: string[] }) => received.push(...fields))
  const ask = async (...messages: Uint8Array[]) => {
    received.length = 0
    connection.stream.write(Buffer.concat(messages))
    while (received.at(-1) !== 'readyForQuery') await once(connection, 'readyForQuery')
    return received
  }
  const failed = serialize.parse({ text: 'SELECT nothing' })
  for (const first of ['SELECT 1', '(SELECT 1);', 'SELECT 1; SELECT 2']) {
    const text = serialize.query(`${first}; ${BECOME_SUPERUSER}`)
    expect(await ask(failed, text, serialize.sync())).toEqual(['errorMessage', 'readyForQuery'])
  }
  expect(await ask(serialize.query(USER))).toEqual(['collab_readeroff', 'commandComplete', 'readyForQuery'])
})

const DEEP = `SELECT 1${' + 1'.repeat(50_000)}`

test('a statement that overflows the stack ends its session with an error', {
  tags: THOROUGH_TAG,
}, async () => {
  const client = await connected()
  await expect(client.query(DEEP)).rejects.toMatchObject({
    ...{ code: '57P01', severity: 'FATAL' },
    message: expect.stringMatching(/nested too deeply.*connect again$/),
  })
  expect(await resultsOf(await connected(), 'SELECT 7')).toEqual([7])
})

const HIDING = ["'", '"', '$$', '$a$', ';', '\n', '--', '/*', '*/', "E'", "\\'", "U&'", 'SELECT 1', '1', ' ']
const attack = fc
  .array(fc.oneof(fc.constantFrom(...HIDING), fc.constantFrom(';', BECOME_SUPERUSER)), { maxLength: 12 })
  .map((parts) => `SELECT ${parts.join('')}`)

test('no mix of quotes and comments makes a superuser', { tags: THOROUGH_TAG }, async () => {
  const client = await connected()
  await client.query('SET client_min_messages = debug5')
  await fc.assert(
    fc.asyncProperty(fc.array(attack, { minLength: 1, maxLength: 3 }), async (texts) => {
      for (const text of texts) await client.query(text).catch(() => {})
      expect(await resultsOf(client, `ROLLBACK; ${USER}`)).toEqual(['collab_readeroff'])
    }),
    { numRuns: rounds(10, 500) },
  )
})
