import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** Address of the Postgres lane's server, or `null` where none could be had; see `postgres-lane.ts`. */
export function postgresServer(): string | null {
  return inject('postgresUrl')
}

/** A database on the lane's server. `drop` must be called when done. */
export interface LaneDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/** Makes a database: an empty one, or a copy of another to which nobody is connected. */
export async function freshDatabase(server: string, original?: LaneDatabase): Promise<LaneDatabase> {
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
