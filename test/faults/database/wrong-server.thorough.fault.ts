/** @module-tag thorough */

import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { expect } from 'vitest'
import { fault } from '../support/fault.ts'
import { PostgresProxy } from './proxy.ts'
import { DatabaseWorld } from './world.ts'

const SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'collab%'"

/** Database URL, with password, of another server. */
async function listening(server: Server, url: string): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const other = new URL(url)
  other.hostname = '127.0.0.1'
  // the address of a TCP server is an object
  other.port = String((server.address() as AddressInfo).port)
  return other.href
}

/** The greeting of a MySQL server, which is an unknown message in Postgres' protocol. */
const MYSQL_GREETING = Buffer.from('\x4a\0\0\0\x0a8.0.36\0\x08\0\0\0abcdefgh\0\xff\xff\xff\x02\0', 'latin1')

const OTHERS: readonly { title: string; make: () => Server }[] = [
  { title: 'a web server at the address of the database', make: () => createHttpServer() },
  {
    title: 'a MySQL server at the address of the database',
    make: () => createServer((socket) => socket.on('error', () => {}).end(MYSQL_GREETING)),
  },
]

for (const { title, make } of OTHERS) {
  fault(title, async (fixture) => {
    await using world = await DatabaseWorld.open(fixture)
    const server = make()
    const url = await listening(server, world.url)
    const ran = await world.snapshotAt(url)
    server.close()
    expect(ran.stderr).toMatch(/cannot reach the database postgres:\/\/\w+@127\.0\.0\.1:\d+/)
    return fixture.named(ran, 1)
  })
}

fault('no server listens at the address', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  proxy.goDown()
  const ran = await world.snapshotAt(proxy.url(world.url))
  expect(ran.stderr).toContain('cannot reach the database')
  expect(world.sandbox.requests).toEqual([])
  proxy.comeBack()
  await world.expectTruthFromNextRun(proxy.url(world.url))
  return fixture.named(ran, 1)
})

interface Denial {
  readonly title: string
  readonly url: (url: URL) => void
  readonly prepare?: (name: string) => string
  readonly says: RegExp
}

const DENIALS: readonly Denial[] = [
  {
    title: 'a wrong password',
    url: (url) => {
      url.password = `${url.password}x`
    },
    says: /refused: password authentication failed/,
  },
  {
    title: 'a database that does not exist',
    url: (url) => {
      url.pathname = '/nowhere'
    },
    says: /refused: database "nowhere" does not exist/,
  },
  {
    title: 'a role that may not create a schema',
    url: () => {},
    prepare: (name) => `REVOKE CREATE ON DATABASE ${name} FROM ${name}`,
    says: /refused: permission denied/,
  },
]

for (const { title, url: change, prepare, says } of DENIALS) {
  fault(title, async (fixture) => {
    await using world = await DatabaseWorld.open(fixture)
    if (prepare) await world.admin(prepare(world.name))
    const url = new URL(world.url)
    change(url)
    const ran = await world.snapshotAt(url.href)
    expect(ran.stderr).toMatch(says)
    expect(await world.admin(SCHEMAS)).toEqual([])
    return fixture.named(ran, 1)
  })
}

for (const { title, encoding } of [
  { title: 'a database in SQL_ASCII', encoding: 'SQL_ASCII' },
  { title: 'a database in LATIN1', encoding: 'LATIN1' },
]) {
  fault(title, async (fixture) => {
    const database = `ENCODING '${encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`
    await using world = await DatabaseWorld.open(fixture, { database })
    const ran = await world.snapshotAt()
    expect(ran.stderr).toContain(`encoding ${encoding}`)
    expect(await world.admin(SCHEMAS)).toEqual([])
    return fixture.refused(ran)
  })
}

fault('the server is Postgres 12', async (fixture) => {
  await using world = await DatabaseWorld.open(fixture)
  await using proxy = await PostgresProxy.start(world.url)
  const [row] = await world.admin('SHOW server_version_num')
  const number = String(row?.['server_version_num'])
  proxy.rewrite(number, `12${number.slice(2)}`)
  const ran = await world.snapshotAt(proxy.url(world.url))
  expect(ran.stderr).toContain('is Postgres 12')
  expect(await world.admin(SCHEMAS)).toEqual([])
  return fixture.refused(ran)
})
