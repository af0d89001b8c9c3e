import { postgresServer } from '@collab-etl/harness/postgres'
import pg from 'pg'
import { inject } from 'vitest'

/** The Postgres server of the tests. Without one the fault fails with the reason. */
export function serverForFaults(): string {
  const server = postgresServer()
  if (server === null) throw new Error(`no Postgres server for faults: it ${inject('postgresBackend')}`)
  return server
}

/** Runs statements in a new session; returns the rows of the last one. */
export async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const results: pg.QueryResult | pg.QueryResult[] = await client.query(sql)
    return (Array.isArray(results) ? results.at(-1) : results)?.rows ?? []
  } finally {
    await client.end()
  }
}
