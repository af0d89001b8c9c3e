import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
// Declares what `inject` gives.
import type {} from './postgres-server.ts'

/** Address of the Postgres server of the tests, or `null` where none is available; see `postgres-server.ts`. */
export function postgresServer(): string | null {
  return inject('postgresUrl')
}

/** A database on that server. `drop` must be called when done. */
export interface TestDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/** Makes a database: an empty one, or a copy of another that has no connections. */
export async function freshDatabase(server: string, original?: Pick<TestDatabase, 'name'>): Promise<TestDatabase> {
  const name = `t_${randomUUID().replaceAll('-', '')}`
  await connected(server, async (client) => {
    const {
      rows: [{ copies }],
    } = await client.query(`SELECT current_setting('server_version_num')::int >= 150000 AS copies`)
    // By default, Postgres 15 and newer log each page of a copy, which takes twice as long as copying the files.
    const strategy = copies ? 'STRATEGY file_copy' : ''
    await client.query(
      `CREATE DATABASE ${name} ${original === undefined ? '' : `TEMPLATE ${original.name} ${strategy}`}`,
    )
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

/** Runs statements in the database of that address. */
export async function onServer(url: string, sql: string): Promise<void> {
  await connected(url, (client) => client.query(sql))
}

async function connected(url: string, work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await work(client)
  } finally {
    await client.end()
  }
}
