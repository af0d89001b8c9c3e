import { postgresServer } from '@collab-etl/harness/postgres'
import pg from 'pg'
import { inject } from 'vitest'

/** The Postgres server of the tests. A fault that cannot have one has not held: it fails, with the reason. */
export function serverForFaults(): string {
  const server = postgresServer()
  if (server === null) throw new Error(`no Postgres server for faults: it ${inject('postgresBackend')}`)
  return server
}

/** Runs statements on a session of its own; gives the rows of the last. */
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
