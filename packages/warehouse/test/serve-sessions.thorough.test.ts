import { cp, readdir, rm, stat } from 'node:fs/promises'
import { scratchDirectory } from '@collab-etl/harness/commands'
import { makeEmptyWarehouse } from '@collab-etl/harness/empty-warehouse'
import pg from 'pg'
import { serialize } from 'pg-protocol'
import { expect, onTestFinished, test, vi } from 'vitest'
import { EmbeddedDatabase } from '../src/driver/embedded-database.ts'
import { Backend } from '../src/serve/backend.ts'
import { Backends } from '../src/serve/backends.ts'
import { serveEmbedded } from '../src/serve/serve.ts'
import { contentOf } from './support/content-of.ts'

/** @module-tag thorough */

test('the server ends if its lock is lost: another process may write to the files', async () => {
  await using other = await scratchDirectory()
  const dataDir = `${other.path}/data`
  await makeEmptyWarehouse(dataDir)
  await using own = await serveEmbedded({ dataDir, schema: 'collab', port: 0, password: 'right-password' })
  await rm(`${dataDir}/warehouse.lock`)
  await expect(own.failed).rejects.toMatchObject({ code: 'LOCK_LOST' })
})

test('sessions end once they are idle or have much memory, the last idle one aside', async () => {
  await using other = await scratchDirectory()
  await makeEmptyWarehouse(`${other.path}/data`)
  let spills = 0
  const start = () =>
    Backend.start({ directory: `${other.path}/data/warehouse`, spill: `${other.path}/${spills++}`, schema: 'collab' })
  const take = async (backends: Backends): Promise<Backend> => {
    const backend = await backends.take(() => false)
    if (backend === null) throw new Error('no session is free')
    onTestFinished(() => backend.stop())
    return backend
  }
  const ended = (of: readonly Backend[]) => of.filter((backend) => backend.isEnded).length
  const limits = { sessions: 2, waitMs: 0, idleMs: 100, largestBytes: Number.POSITIVE_INFINITY }
  const idle = new Backends(start, limits)
  const two = [await take(idle), await take(idle)]
  expect(await idle.take(() => false)).toBe(null)
  for (const backend of two) await idle.give(backend)
  await vi.waitFor(() => expect(ended(two)).toBe(1))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(ended(two)).toBe(1)
  const large = new Backends(start, { ...limits, largestBytes: 1 })
  const one = await take(large)
  await one.run(serialize.query('SELECT 1'), async () => {})
  await large.give(one)
  expect(ended([one, await take(large)])).toBe(1)
})

test('a session that takes much space on disk ends with its client, which frees the space', async () => {
  await using other = await scratchDirectory()
  const dataDir = `${other.path}/data`
  await makeEmptyWarehouse(dataDir)
  await using own = await serveEmbedded({ dataDir, schema: 'collab', port: 0, password: 'right-password' })
  const { port } = own
  const spilled = async () => {
    const links = (await readdir('/proc/self/fd')).map((name) => stat(`/proc/self/fd/${name}`).catch(() => null))
    const sizes = (await Promise.all(links)).flatMap((found) =>
      found?.isFile() && found.nlink === 0 ? found.size : [],
    )
    return Math.max(0, ...sizes)
  }
  const client = new pg.Client({ host: '127.0.0.1', port, user: 'a', database: 'a', password: 'right-password' })
  await client.connect()
  await client.query(
    'SELECT FROM (SELECT repeat(md5(i::text), 30) AS r FROM generate_series(1, 300000) i) t ORDER BY r OFFSET 299999',
  )
  expect(await spilled()).toBeGreaterThan(256 * 1024 * 1024)
  await client.end()
  await expect.poll(spilled).toBeLessThan(64 * 1024 * 1024)
})

test('clients read a warehouse whose writer was killed, and its files stay as they were', async () => {
  await using other = await scratchDirectory()
  const [dataDir, killed] = [`${other.path}/data`, `${other.path}/killed`]
  await makeEmptyWarehouse(dataDir)
  const database = await EmbeddedDatabase.open(`${dataDir}/warehouse`)
  await database.exec(
    "INSERT INTO collab.users (uid, name, valid_from) SELECT n, 'u', now() FROM generate_series(1, 5000) n",
  )
  // as a kill leaves them
  await cp(dataDir, killed, { recursive: true })
  await database.close()
  const as = await contentOf(`${killed}/warehouse`)
  await using own = await serveEmbedded({ dataDir: killed, schema: 'collab', port: 0, password: 'right-password' })
  const { port } = own
  const clients = [1, 2].map(
    () => new pg.Client({ host: '127.0.0.1', port, user: 'a', database: 'a', password: 'right-password' }),
  )
  for (const client of clients) {
    await client.connect()
    expect((await client.query('SELECT count(*)::int AS n FROM collab.users')).rows).toEqual([{ n: 5000 }])
  }
  for (const client of clients) await client.end()
  expect(await contentOf(`${killed}/warehouse`)).toBe(as)
})
