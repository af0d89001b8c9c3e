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
  await onServer(server, `CREATE DATABASE ${name}${original === undefined ? '' : ` TEMPLATE ${original.name}`}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

/** Runs statements in the database of that address. */
export async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
