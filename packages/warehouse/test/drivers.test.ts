import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { copyDirectory } from '@collab-etl/harness/copy-directory'
import { freshDatabase, postgresServer } from '@collab-etl/harness/postgres'
import { testThoroughly, times } from '@collab-etl/harness/thorough'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { openEmbedded } from '../src/driver/embedded.ts'
import { readAddress } from '../src/driver/postgres-address.ts'
import { openWarehouse } from '../src/open.ts'

const open = (databaseUrl: string | undefined, dataDir = '/nonexistent', schema = 'collab') =>
  openWarehouse({ databaseUrl, dataDir, schema })

describe('the address of a Postgres server', () => {
  test.each([
    ['postgres://me:secret@db.example.org:5433/etl?sslmode=require', 'postgres://me@db.example.org:5433/etl'],
    ['postgresql://db/etl', 'postgres://db/etl'],
    ['postgres:///etl?host=/run/postgresql&password=secret', 'postgres:///run/postgresql/etl'],
    ['postgres://me:secret@a:1,b:2/etl?sslmode=disable', 'postgres://me@a:1,b:2/etl'],
    ["host=a,b port=5433 user=me dbname=etl password='se\\'c ret'", 'postgres://me@a:5433,b:5433/etl'],
    ['postgres://me:p%40ss@db/etl', 'postgres://me@db/etl'],
  ])('%s is shown without password', (url, location) => {
    expect(readAddress(url, {})).toMatchObject({ location })
  })

  test.each([
    '',
    'db.example.org',
    'http://me:secret@db/etl',
    'postgres://me:secret@db:port/etl',
    'postgres://me:se%zzcret@db/etl',
    'postgres://me:secret#1@db/etl',
  ])('%j is refused without being quoted', async (url) => {
    const failed = open(url)
    await expect(failed).rejects.toMatchObject({ code: 'BAD_URL' })
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('secret') })
  })

  test('no server listens', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    server.close()
    const failed = open(`postgres://me:secret@127.0.0.1:${port}/etl`)
    await expect(failed).rejects.toMatchObject({
      code: 'UNREACHABLE',
      message: expect.stringContaining(`127.0.0.1:${port}`),
    })
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('secret') })
  })
})

describe.skipIf(postgresServer() === null)('a Postgres server', () => {
  let database: Awaited<ReturnType<typeof freshDatabase>>
  beforeAll(async () => {
    database = await freshDatabase(postgresServer() ?? '')
  })
  afterAll(() => database.drop())

  test('a database that does not exist is refused, and a user, without the password', async () => {
    const url = new URL(database.url)
    url.pathname = '/nothing_here'
    await expect(open(url.href)).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('nothing_here'),
    })
    const stranger = new URL(database.url)
    stranger.username = 'stranger'
    stranger.password = 'secret'
    const failed = open(stranger.href)
    await expect(failed).rejects.toMatchObject({ code: 'DENIED' })
    await expect(failed).rejects.not.toMatchObject({ message: expect.stringContaining('secret') })
  })

  test('the lock holds between connections, ends with its process, and a run without it stops', {
    tags: 'thorough',
  }, async () => {
    const [first, second] = [await open(database.url), await open(database.url)]
    await first.admin.migrate()
    await first.runs.lock()
    await expect(second.runs.lock()).rejects.toMatchObject({ code: 'LOCKED' })
    const run = await first.runs.begin({ baseUrl: '', toolVersion: '' })
    const { rows } = await second.rows.query(
      "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    )
    expect(rows).toEqual([[true]])
    await expect
      .poll(() =>
        run.stage('p1').then(
          () => 'open',
          ({ code }) => code,
        ),
      )
      .toBe('LOCK_LOST')
    // Until idle sessions of the first one end by themselves, the second one would wait ten seconds.
    if (times(0, 1) === 0) await first.close()
    await using _lock = await second.runs.lock()
    await first.close()
    await second.close()
  })

  test('a terminated session fails its statement, and the next statement has a new session', async () => {
    const warehouse = await open(database.url)
    await warehouse.admin.migrate()
    await expect(warehouse.rows.query('SELECT pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({
      code: 'UNREACHABLE',
    })
    expect((await warehouse.rows.query('SELECT 1')).rows).toEqual([[1]])
    await warehouse.close()
    await warehouse.close()
  })
})

describe('the embedded directory', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'warehouse-dir-'))
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  const copy = async (name: string) => {
    const path = join(home, name)
    await copyDirectory(inject('embeddedTemplate'), path)
    return path
  }

  // creating a database takes three seconds, and the set-up of `npm test` does it as well
  testThoroughly('is made on first use at any depth, and an unfinished one is made again', async () => {
    const path = join(home, 'a', 'b')
    await copyDirectory(join(inject('embeddedTemplate'), 'warehouse'), join(path, 'warehouse.new'))
    const driver = await openEmbedded(path)
    expect((await driver.query('SELECT 1')).rows).toEqual([[1]])
    await driver.close()
    expect(await readdir(path)).toEqual(['warehouse'])
  })

  test.each([
    [
      'a file',
      async () => {
        await writeFile(join(home, 'file'), '')
        return join(home, 'file')
      },
    ],
    ['below a file', async () => join(home, 'file', 'x')],
    ['where nothing can be made', async () => '/proc/data/x'],
  ])('is %s: nothing is touched', async (_, make) => {
    const path = await make()
    await expect(open(undefined, path)).rejects.toMatchObject({
      code: 'DATA_DIR',
      message: expect.stringContaining(path),
    })
  })

  test('belongs to one opener: a second one is locked out, until the first has closed', async () => {
    const path = await copy('twice')
    const first = await open(undefined, path)
    await expect(open(undefined, path)).rejects.toMatchObject({
      code: 'LOCKED',
      message: expect.stringContaining(String(process.pid)),
    })
    await first.close()
    await expect(first.log.runs(1)).rejects.toMatchObject({
      code: 'MISUSE',
      message: expect.stringMatching(/is closed; open it again/),
    })
    await (await open(undefined, path)).close()
    expect(await readdir(path)).toEqual(['warehouse'])
  })
})
